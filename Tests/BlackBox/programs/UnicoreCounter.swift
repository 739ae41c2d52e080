// The counter of Unicore's introduction on a server: observers on two queues, commands, and a slow
// action.

import Dispatch
import Glibc
import StoreCore
import StorePatterns
import StoreServer

struct AppState: Codable, Equatable {
    var counter = 0
}

struct CounterIncreaseRequested: Action, Codable {}

/// Keeps the reducer busy for `ms` milliseconds, as no reducer should.
struct SlowReducer: Action, Codable {
    let ms: UInt32
}

/// The key under which a queue has its name. Each printed line shows the name of its queue.
let place = DispatchSpecificKey<String>()

/// Writes a line with the queue of the call.
@Sendable func log(_ text: String) {
    print(text, "on", DispatchQueue.getSpecific(key: place) ?? "no queue")
    fflush(nil)
}

/// Blocks the thread, for at most ten seconds.
@Sendable func pause(_ ms: UInt32) {
    usleep(min(ms, 10_000) * 1_000)
}

let render = DispatchQueue(label: "render")
render.setSpecific(key: place, value: "render")
DispatchQueue.main.setSpecific(key: place, value: "main")

let printInt = Command<Int>(id: "Print the int") { log("\($0)") }
let printSeven = printInt.bound(to: 7)

var server = Server(
    state: AppState(),
    actions: [CounterIncreaseRequested.self, SlowReducer.self]
) { (state: inout AppState, action) in
    switch action {
    case is CounterIncreaseRequested: state.counter += 1
    case let slow as SlowReducer: pause(slow.ms)
    default: break
    }
}
.observer(on: .main) { log("counter \($0.counter)") }
.observer(on: render) { log("counter \($0.counter)") }
.command(printInt, as: "print-int")
.command(printSeven, as: "print-seven")
.command(printSeven.async(on: .main), as: "print-seven-on-main")
.command(PlainCommand(id: "Say hello") { log("hello") }, as: "hello")
.command(Command<UInt32>(id: "Sleep") { pause($0) }, as: "sleep")

// Further names for a command, to test which names a server accepts.
for name in getenv("COUNTER_COMMANDS").map({ String(cString: $0) })?.split(separator: ",") ?? [] {
    server = server.command(printSeven, as: String(name))
}
server.main()
