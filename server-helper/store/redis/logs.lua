-- Logs of turns: streams, of which each entry holds events and has for its id that of the event that comes next.

function methods.tell()
  local result = {}
  for i, telling in ipairs(given.tellings) do
    local turn = read(toTurn(telling.conversationId, telling.id))
    local isTheirs = turn and turn.status == 'running' and turn.runner ~= given.runner
    if not turn or isTheirs or turn.teller ~= telling.teller then
      result[i] = false
    else
      local log = toLog(turn)
      local last = call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
      local stands = last and string.match(last[1], '^%d+') or '0'
      -- An entry of nothing would fail the call for all.
      if stands == telling.from and telling.next ~= telling.from then
        call('XADD', log, telling.next .. '-0', 'events', ARGV[3 + i])
        stands = telling.next
      end
      call('PEXPIRE', log, toText(logMs))
      result[i] = stands
    end
  end
  return result
end

function methods.readLog()
  local told = {}
  for _, entry in ipairs(call('XRANGE', toLog(given), given.from .. '-1', '+')) do told[#told + 1] = entry[2][2] end
  return table.concat(told)
end

function methods.wake()
  local wake = key('wake', given.reader)
  call('XADD', wake, 'MAXLEN', 1, '*', 'at', toText(now))
  call('PEXPIRE', wake, 60000)
end
