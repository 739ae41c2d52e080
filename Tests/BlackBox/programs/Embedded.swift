// A program with two stores of its own, which goes on when the disk under one of them fails
// (docs/EMBEDDING.md).

import Glibc
import StoreCore
import StoreServer

struct Tally: Codable, Equatable { var count = 0 }
struct Added: Action, Codable { let count: Int }

@Sendable func say(_ words: Any...) {
    print(words.map { "\($0)" }.joined(separator: " "))
    fflush(nil)
}

let server = Server(state: Tally(), actions: [Added.self]) { (tally: inout Tally, action) in
    if let added = action as? Added { tally.count += added.count }
}
.log { say($0.level, $0.message) }
.journalFailureHandler { say("failed", $0) }

var durable = ServerConfiguration()
durable.http.listen = ["127.0.0.1:0"]
durable.streams.heartbeat = .seconds(1)
durable.history.directory = CommandLine.arguments[1]
var ephemeral = durable
ephemeral.history.ephemeral = true

let stores = try [durable, ephemeral].map { try server.start($0) }
for store in stores { say("address", store.addresses.joined()) }

// In place of work of its own, the program waits for a byte on standard input.
var byte: UInt8 = 0
_ = read(STDIN_FILENO, &byte, 1)

for store in stores { say("stopped", store.stop(), store.journalFailure == nil) }
