// Several stores in one process (docs/EMBEDDING.md): a tally at /, another tally, and a chat whose
// clients have sessions. ROOMS names a defect of one store, `chats` for a second chat, `talk`, or a
// number of further idle stores.

import Glibc
import StoreCore
import StorePatterns
import StoreServer

struct Tally: Codable, Equatable { var count = 0 }
struct Added: Action, Codable { let count: Int }
/// Has a reducer that ends only with the process.
struct Stuck: Action, Codable {}

/// The messages of the chat.
struct Chat: EffectfulModule {
    struct State: ModuleState {
        var lines: [String] = []
    }

    enum Action: ModuleAction { case said(String) }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .said(let line):
            state.lines.append(line)
            return answer(to: line)
        }
    }

    private func answer(to line: String) -> Effect<State> {
        switch line {
        case "ping": .run { try await $0.dispatch(Action.said("pong")) }
        case "later":
            .run { context in
                try await context.sleep(for: .seconds(60))
                try await context.dispatch(Action.said("now"))
            }
        default: .none
        }
    }
}

/// The topics of the chat, an instance for each.
struct Topics: StartableModule {
    struct State: ModuleState {
        var likes = 0
    }

    struct Start: Codable, Equatable, Sendable {}

    enum Action: ModuleAction { case liked }

    func begin(_ start: Start) -> State { State() }

    func reduce(_ state: inout State, _ action: Action) { state.likes += 1 }
}

struct ChatState: RootState {
    var chat = Chat.State()
    var topics = Instances<Topics.State>()
    var sessions = Sessions.State()

    static let modules: Modules = [
        Chat().at(\.chat), Topics().at(\.topics).lifecycle(.everybody), Sessions().at(\.sessions),
    ]
}

func tally() -> Server<Tally> {
    Server(state: Tally(), actions: [Added.self, Stuck.self]) { (tally: inout Tally, action) in
        switch action {
        case let added as Added:
            guard added.count >= 0 else { throw Refusal(reason: "A count is not negative.") }
            tally.count += added.count
        default: while true { usleep(1_000) }
        }
    }
}

struct Broken: Error, CustomStringConvertible { let description = "the key is lost" }

let wish = getenv("ROOMS").map { String(cString: $0) } ?? ""
var chat = Server(ChatState.self)
if wish == "broken" { chat = chat.preparation { _ in throw Broken() } }
var server = tally().store(chat, named: "chat").store(tally(), named: "scores")
switch wish {
case "chats": server = server.store(Server(ChatState.self), named: "talk")
case "same name": server = server.store(tally(), named: "chat")
case "bad name": server = server.store(tally(), named: "../chat")
case let count where Int(count) != nil:
    for number in 0..<(Int(count) ?? 0) { server = server.store(tally(), named: "idle-\(number)") }
default: break
}
server.main()
