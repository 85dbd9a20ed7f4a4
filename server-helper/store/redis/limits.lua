-- Limits, by the clock of Redis: those of the helpers may differ.

local dayMs = 86400000

local function toBucket(bucket) return key('bucket', bucket.key) end
local function toCount(count) return key('count', count.key) end

function methods.takeLimits()
  local time = call('TIME')
  local at = time[1] * 1000 + math.floor(time[2] / 1000)
  local waits, counts, tokens, isFree = {}, {}, {}, true
  local function wait(ms)
    waits[#waits + 1] = toText(ms)
    isFree = isFree and ms <= 0
  end
  for i, bucket in ipairs(given.buckets) do
    local burst, perMs = tonumber(bucket.burst), bucket.perMinute / 60000
    local kept = call('HMGET', toBucket(bucket), 'tokens', 'at')
    tokens[i] = kept[1] and math.min(burst, kept[1] + math.max(0, at - kept[2]) * perMs) or burst
    wait(tokens[i] >= 1 and 0 or math.ceil((1 - tokens[i]) / perMs))
  end
  for i, count in ipairs(given.counts) do
    counts[i] = tonumber(call('GET', toCount(count)) or '0')
    wait(counts[i] < tonumber(count.most) and 0 or math.max(1, call('PTTL', toCount(count))))
  end
  if isFree then
    for i, bucket in ipairs(given.buckets) do
      call('HSET', toBucket(bucket), 'tokens', string.format('%.9g', tokens[i] - 1), 'at', toText(at))
      call('PEXPIRE', toBucket(bucket), toText(math.ceil(bucket.burst * 60000 / bucket.perMinute) + 1000))
    end
    for i, count in ipairs(given.counts) do
      counts[i] = call('INCR', toCount(count))
      if counts[i] == 1 then call('PEXPIRE', toCount(count), dayMs) end
    end
  end
  for i, count in ipairs(counts) do counts[i] = toText(count) end
  return { waits = waits, counts = counts }
end

function methods.giveBack()
  for _, bucket in ipairs(given.buckets) do
    if call('EXISTS', toBucket(bucket)) == 1 then call('HINCRBYFLOAT', toBucket(bucket), 'tokens', 1) end
  end
  for _, count in ipairs(given.counts) do
    if tonumber(call('GET', toCount(count)) or '0') > 0 then call('DECR', toCount(count)) end
  end
end
