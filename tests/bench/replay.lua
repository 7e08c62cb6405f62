-- SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
-- Replays the queries of a capture at their times with dnsjit: the parts that DNS-OARC's and
-- CZ.NIC's tools are made of. usage: dnsjit replay.lua CAPTURE ADDRESS PORT
local file, host, port = arg[2], arg[3], arg[4]

require("dnsjit.core.objects")
local input = require("dnsjit.input.mmpcap").new()
local layer = require("dnsjit.filter.layer").new()
local timing = require("dnsjit.filter.timing").new()
local dnscli = require("dnsjit.output.dnscli")
local output = dnscli.new(dnscli.UDP + dnscli.NONBLOCKING)

input:open(file)
-- Only packets of the file have times.
timing:keep()
timing:producer(input)
layer:producer(timing)
output:connect(host, port)

local produce, source = layer:produce()
local receive, target = output:receive()
local answer, answers = output:produce()
while true do
    local object = produce(source)
    if object == nil then break end
    if object:type() == "payload" and object:cast().len > 0 then
        receive(target, object)
        -- What has come until now; reading never waits.
        repeat local reply = answer(answers) until reply == nil or reply:cast().len == 0
    end
end
