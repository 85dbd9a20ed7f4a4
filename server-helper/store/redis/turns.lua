function methods.beginTurn()
  local asked, turn = given.conversation, given.turn
  if call('ZSCORE', key('merged'), asked.owner) then return { kind = 'gone' } end
  local known = read(toConversation(asked.id))
  if known and (known.deletedAt or known.owner ~= asked.owner or known.bot ~= asked.bot) then return { kind = 'gone' } end
  if known then
    local same = read(toTurn(asked.id, turn.id))
    if same then return { kind = 'known', conversation = shown(known), turn = told(same) } end
    local live = liveOf(known)
    if live then return { kind = 'running', conversation = shown(known), turn = told(live) } end
  end
  local begun = known or asked
  begun.updatedAt = asked.updatedAt
  local last = call('ZREVRANGE', key('turns', asked.id), 0, 0, 'WITHSCORES')[2]
  -- The clock may have been set back in between.
  if last and tonumber(turn.at) < tonumber(last) then turn.at = toText(tonumber(last) + 1) end
  change(toConversation(asked.id), begun)
  call('HSET', toConversation(asked.id), 'live', turn.id)
  turn.number = toText(call('HINCRBY', toConversation(asked.id), 'number', 1))
  change(toTurn(asked.id, turn.id), turn)
  call('ZADD', key('turns', asked.id), turn.at, toPlace(turn))
  hold(turn)
  list(begun)
  return { kind = 'began', conversation = shown(begun), turn = told(turn) }
end

function methods.findTurn() return told(findTurn()) end

function methods.listTurns()
  local turns = key('turns', given.conversationId)
  local before = given.before and '(' .. given.before or '+inf'
  local places = call('ZREVRANGEBYSCORE', turns, before, '-inf', 'LIMIT', 0, given.limit or -1)
  local found = {}
  for _, turn in ipairs(turnsOf(given.conversationId, places)) do table.insert(found, 1, told(turn)) end
  return found
end

function methods.forgetTexts()
  for _, id in ipairs(given.ids) do
    local turn = toTurn(given.conversationId, id)
    if call('EXISTS', turn) == 1 then change(turn, { question = '', answer = cjson.null }) end
  end
end

function methods.findLiveTurn()
  local found = living(given.conversationId)
  return found and told(liveOf(found))
end

-- @returns a field as it stood
function methods.setTurn()
  local found = findTurn()
  if not found then return nil end
  -- Nobody would find what another teller told, to delete it.
  local teller = given.change.teller
  if teller and found.teller and found.teller ~= teller then call('DEL', toLog(found)) end
  change(toTurn(given.conversationId, given.id), given.change)
  return found.vote
end

function methods.endTurn()
  local found, from = findTurn(), given.from
  if not found or found.status ~= from.status then return false end
  if from.runner and found.runner ~= from.runner then return false end
  letGo(found)
  local turn = toTurn(given.conversationId, given.id)
  change(turn, given.change)
  call('HDEL', turn, 'runner', 'leaseUntil')
  local conversation = toConversation(given.conversationId)
  local status = given.change.status or found.status
  if status ~= 'paused' and call('HGET', conversation, 'live') == given.id then call('HDEL', conversation, 'live') end
  return true
end

function methods.resumeTurn()
  local found = findTurn()
  if not found or found.status ~= 'paused' or not found.pause then return nil end
  if given.pause and found.pause ~= given.pause then return nil end
  local pause = found.pause
  found.status, found.runner, found.leaseUntil, found.pause = 'running', given.runner, given.leaseUntil, cjson.null
  found.earlier = given.earlier or found.earlier
  change(toTurn(given.conversationId, given.id), found)
  hold(found)
  return pause
end

function methods.takeTurn()
  local found = findTurn()
  local ends = found and tonumber(found.leaseUntil or '0')
  if not found or found.status ~= 'running' or (ends > now and ends <= now + longestLeaseMs) then return nil end
  letGo(found)
  found.runner, found.leaseUntil = given.runner, given.leaseUntil
  change(toTurn(given.conversationId, given.id), found)
  hold(found)
  return told(found)
end

-- Whatever stands in the set, the turn says who runs it.
local function eachHeld(act)
  local held = key('held', given.runner)
  for _, member in ipairs(call('SMEMBERS', held)) do
    local conversationId, id = unpack(cjson.decode(member))
    local found = read(toTurn(conversationId, id))
    if found and found.status == 'running' and found.runner == given.runner then act(found)
    else call('SREM', held, member) end
  end
end

function methods.renewTurns()
  local held = {}
  eachHeld(function(turn)
    call('HSET', toTurn(turn.conversationId, turn.id), 'leaseUntil', given.leaseUntil)
    held[#held + 1] = { conversationId = turn.conversationId, id = turn.id }
  end)
  return held
end

function methods.releaseTurns()
  eachHeld(function(turn) call('HSET', toTurn(turn.conversationId, turn.id), 'leaseUntil', '0') end)
end

function methods.dropTurnsFrom()
  local isDropping = false
  for _, turn in ipairs(allTurns(given.conversationId)) do
    if turn.id == given.keepId then return end
    isDropping = isDropping or turn.id == given.id
    if isDropping then dropTurn(turn) end
  end
end
