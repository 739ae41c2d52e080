// The counter of Unicore's introduction on a server: observers on two queues, and a slow action.

import Dispatch
import Glibc
import StoreCore
import StoreServer

struct AppState: Codable, Equatable {
    var counter = 0
}

struct CounterIncreaseRequested: Action, Codable {}

/// Keeps the reducer busy for so many milliseconds, as no reducer should be.
struct SlowReducer: Action, Codable {
    let ms: UInt32
}

/// What each line says of its place; queues that are not named have none.
let place = DispatchSpecificKey<String>()

/// Writes a line with the queue that it is called on.
@Sendable func log(_ text: String) {
    print(text, "on", DispatchQueue.getSpecific(key: place) ?? "no queue")
    fflush(nil)
}

let render = DispatchQueue(label: "render")
render.setSpecific(key: place, value: "render")
DispatchQueue.main.setSpecific(key: place, value: "main")

StoreServer(
    state: AppState(),
    actions: [CounterIncreaseRequested.self, SlowReducer.self]
) { (state: inout AppState, action) in
    switch action {
    case is CounterIncreaseRequested: state.counter += 1
    case let slow as SlowReducer: usleep(slow.ms * 1_000)
    default: break
    }
}
.observing(on: .main) { log("counter \($0.counter)") }
.observing(on: render) { log("counter \($0.counter)") }
.main()
