local result = methods[method]()
if result == nil then return nil end
return cjson.encode(result)
