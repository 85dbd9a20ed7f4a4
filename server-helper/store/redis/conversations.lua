-- Leaves a tombstone.
local function drop(found)
  local live = liveOf(found)
  local deleted = { conversation = shown(found), wasRunning = live and live.status == 'running' or false }
  for _, turn in ipairs(allTurns(found.id)) do dropTurn(turn) end
  unlist(found)
  call('DEL', toConversation(found.id))
  call('HSET', toConversation(found.id), 'id', found.id, 'deletedAt', toText(now))
  call('ZADD', key('tombstones'), toText(now), found.id)
  putLeftover('chat', found.chatId, found.bot)
  if not found.workspace or not found.workspaceOf then return deleted end
  local pinned = key('pinned', found.workspace)
  call('SREM', pinned, found.id)
  if call('SCARD', pinned) > 0 then return deleted end
  putLeftover('workspace', found.workspace, found.bot)
  if found.workspaceOf == 'visitor' then forget(toWorkspaceFact(found.owner, found.bot), found.workspace) end
  return deleted
end

function methods.findConversation()
  local found = living(given.id)
  return found and shown(found)
end

function methods.listConversations()
  local owned, ids = key('owned', given.bot, given.owner), {}
  local from = '+inf'
  if given.before then
    from = '(' .. given.before.updatedAt
    for _, id in ipairs(call('ZREVRANGEBYSCORE', owned, given.before.updatedAt, given.before.updatedAt)) do
      if id < given.before.id then ids[#ids + 1] = id end
    end
  end
  for _, id in ipairs(call('ZREVRANGEBYSCORE', owned, from, '-inf', 'LIMIT', 0, given.limit)) do ids[#ids + 1] = id end
  local found = {}
  for i = 1, math.min(#ids, given.limit) do found[i] = shown(read(toConversation(ids[i]))) end
  return found
end

function methods.updateConversation()
  if living(given.id) then change(toConversation(given.id), given.change) end
end

function methods.pinWorkspace()
  local found = living(given.id)
  if not found then return nil end
  if found.workspace and found.workspace ~= given.instead then return found.workspace end
  if found.workspace then call('SREM', key('pinned', found.workspace), found.id) end
  call('HSET', toConversation(found.id), 'workspace', given.workspace)
  if given.workspaceOf then
    call('HSET', toConversation(found.id), 'workspaceOf', given.workspaceOf)
    call('SADD', key('pinned', given.workspace), found.id)
  else
    call('HDEL', toConversation(found.id), 'workspaceOf')
  end
  return given.workspace
end

function methods.deleteConversation()
  local found = living(given.id)
  return found and drop(found)
end

function methods.eraseOwner()
  local deleted = {}
  for _, id in ipairs(call('ZRANGE', key('owned', given.bot, given.owner), 0, -1)) do
    deleted[#deleted + 1] = drop(read(toConversation(id)))
  end
  local workspace = recall(toWorkspaceFact(given.owner, given.bot))
  if workspace then putLeftover('workspace', workspace, given.bot) end
  for _, name in ipairs(given.facts) do forget(name) end
  return deleted
end

-- Owners.

function methods.mergeOwner()
  if call('ZADD', key('merged'), 'NX', toText(now), given.from) == 0 then return false end
  for _, bot in ipairs(call('SMEMBERS', key('agents', given.from))) do
    for _, id in ipairs(call('ZRANGE', key('owned', bot, given.from), 0, -1)) do
      local found = read(toConversation(id))
      unlist(found)
      found.owner = given.to
      call('HSET', toConversation(id), 'owner', given.to)
      list(found)
    end
    forget(toWorkspaceFact(given.from, bot))
  end
  call('DEL', key('agents', given.from))
  return true
end

function methods.isMerged() return call('ZSCORE', key('merged'), given.owner) ~= false end

-- Facts go by themselves.
function methods.purge()
  local left = given.limit
  local function take(set, before, remove)
    for _, member in ipairs(call('ZRANGEBYSCORE', set, '-inf', '(' .. before, 'LIMIT', 0, left)) do
      remove(member)
      call('ZREM', set, member)
      left = left - 1
    end
  end
  take(key('guests', given.bot), given.before.guests, function(id)
    local found = living(id)
    if found then drop(found) end
  end)
  take(key('tombstones'), given.before.tombstones, function(id) call('DEL', toConversation(id)) end)
  take(key('merged'), given.before.merged, function() end)
  return given.limit - left
end

function methods.check() call('SET', key('checked'), toText(now)) end
