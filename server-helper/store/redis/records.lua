-- Conversations, listed by owner and agent; guests' once more, by age.

local fields = { 'id', 'owner', 'bot', 'chatId', 'title', 'mode', 'workspace', 'workspaceOf', 'createdAt', 'updatedAt' }

local function isGuest(owner) return string.sub(owner, 1, 10) == 'anonymous:' end

local function toConversation(id) return key('conversation', id) end

local function living(id)
  local found = read(toConversation(id))
  if found and not found.deletedAt then return found end
  return nil
end

local function shown(found)
  local record = {}
  for _, field in ipairs(fields) do record[field] = found[field] end
  return record
end

local function list(found)
  call('SADD', key('agents', found.owner), found.bot)
  call('ZADD', key('owned', found.bot, found.owner), found.updatedAt, found.id)
  if isGuest(found.owner) then call('ZADD', key('guests', found.bot), found.updatedAt, found.id) end
end

local function unlist(found)
  local owned = key('owned', found.bot, found.owner)
  call('ZREM', owned, found.id)
  -- Whose nothing is left is not known by name any more.
  if call('EXISTS', owned) == 0 then call('SREM', key('agents', found.owner), found.bot) end
  call('ZREM', key('guests', found.bot), found.id)
end

-- Turns, in the order in which they began: by time, and of one time by number.

local function toTurn(conversationId, id) return key('turn', conversationId, id) end

-- Of what it says; kept so long after the last of it was said.
local logMs = 1800000
local function toLog(turn) return key('log', turn.conversationId, turn.id, turn.teller) end

local function toPlace(turn) return string.format('%012d:', turn.number) .. turn.id end

local function toHold(turn) return cjson.encode({ turn.conversationId, turn.id }) end

local function hold(turn)
  if turn.status == 'running' and turn.runner then call('SADD', key('held', turn.runner), toHold(turn)) end
end

local function letGo(turn)
  if turn.runner then call('SREM', key('held', turn.runner), toHold(turn)) end
end

local function findTurn() return read(toTurn(given.conversationId, given.id)) end

local function told(turn)
  if turn then turn.number = nil end
  return turn
end

local function dropTurn(turn)
  letGo(turn)
  call('ZREM', key('turns', turn.conversationId), toPlace(turn))
  call('DEL', toTurn(turn.conversationId, turn.id))
  if turn.teller then call('DEL', toLog(turn)) end
  local conversation = toConversation(turn.conversationId)
  if call('HGET', conversation, 'live') == turn.id then call('HDEL', conversation, 'live') end
end

local function turnsOf(conversationId, places)
  local found = {}
  for _, place in ipairs(places) do
    found[#found + 1] = read(toTurn(conversationId, string.sub(place, 14)))
  end
  return found
end

local function allTurns(conversationId) return turnsOf(conversationId, call('ZRANGE', key('turns', conversationId), 0, -1)) end

local function liveOf(found) return found.live and read(toTurn(found.id, found.live)) end
