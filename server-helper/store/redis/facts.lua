-- Facts: kept by Redis a while longer than they hold, so that whoever asks decides by the one clock.

local function recall(name)
  local fact = read(key('fact', name))
  if fact and (not fact['until'] or tonumber(fact['until']) > now) then return fact.value end
  return nil
end

local function keep(name, value, ttlMs)
  local fact = key('fact', name)
  call('DEL', fact)
  call('HSET', fact, 'value', value)
  if ttlMs then
    call('HSET', fact, 'until', toText(now + ttlMs))
    call('PEXPIRE', fact, toText(ttlMs + 60000))
  end
end

local function forget(name, only)
  if only == nil or recall(name) == only then call('DEL', key('fact', name)) end
end

local function toWorkspaceFact(owner, bot) return 'workspace:' .. bot .. ':' .. owner end

function methods.recall() return recall(given.key) end

function methods.remember()
  local stands = recall(given.key)
  if stands == nil then keep(given.key, given.value, given.ttlMs) end
  return stands or given.value
end

function methods.replace() keep(given.key, given.value, given.ttlMs) end

function methods.forget() forget(given.key, given.only) end

-- Leftovers.

local function putLeftover(kind, id, bot)
  local leftover = key('leftover', kind, id)
  if call('EXISTS', leftover) == 1 then return end
  call('HSET', leftover, 'kind', kind, 'id', id, 'bot', bot, 'tries', '0')
  call('ZADD', key('due', bot), '0', leftover)
end

function methods.putLeftovers()
  for _, one in ipairs(given.leftovers) do putLeftover(one.kind, one.id, one.bot) end
end

function methods.listLeftovers()
  local found = {}
  for _, leftover in ipairs(call('ZRANGEBYSCORE', key('due', given.bot), '-inf', toText(now), 'LIMIT', 0, given.limit)) do
    found[#found + 1] = read(leftover)
  end
  return found
end

function methods.leftoverDone()
  local leftover = key('leftover', given.kind, given.id)
  local bot = call('HGET', leftover, 'bot')
  if bot then call('ZREM', key('due', bot), leftover) end
  call('DEL', leftover)
end

function methods.leftoverTried()
  local leftover = key('leftover', given.kind, given.id)
  local bot = call('HGET', leftover, 'bot')
  if not bot then return end
  call('HINCRBY', leftover, 'tries', 1)
  call('ZADD', key('due', bot), given.nextAt, leftover)
end

-- Counts: one hash an hour.

function methods.addTallies()
  local hours = key('hours', given.bot)
  for _, hour in ipairs(call('ZRANGEBYSCORE', hours, '-inf', '(' .. given.keptFrom)) do
    call('DEL', key('tally', given.bot, hour))
    call('ZREM', hours, hour)
  end
  for _, tally in ipairs(given.tallies) do
    call('HINCRBYFLOAT', key('tally', given.bot, tally.hour), tally.name, tally.count)
    call('ZADD', hours, tally.hour, tally.hour)
  end
end

function methods.readTallies()
  local found = {}
  for _, hour in ipairs(call('ZRANGEBYSCORE', key('hours', given.bot), given.fromHour, '+inf')) do
    for name, count in pairs(read(key('tally', given.bot, hour)) or {}) do
      found[#found + 1] = { hour = hour, name = name, count = count }
    end
  end
  return found
end
