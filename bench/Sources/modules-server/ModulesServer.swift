import Glibc
import StoreCore
import StoreServer

/// A server whose state has one small module, `BENCH_MODULES` large modules, a module with
/// `BENCH_INSTANCES` instances, and a list of `BENCH_NOTES` notes.
@main
struct ModulesServer {
    static func main() { Server(BenchState.self).main() }
}

/// A module whose slice has about a hundred bytes.
struct Small: Module {
    struct State: ModuleState {
        var count = 0
        var note = "A slice of about a hundred bytes, which is what most slices of real stores are."
    }

    enum Action: ModuleAction {
        case bumped
    }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .bumped: state.count += 1
        }
    }
}

/// A slice of about 200 kB, which never changes.
struct LargeState: ModuleState {
    var entries: [String] = (0..<1_000).map { "entry \($0) " + String(repeating: "x", count: 192) }
}

/// A module of which there are many, all of the same form. The type `Number` makes each a type of
/// its own.
struct Large<Number: CountedType>: Module {
    static var name: String { "large\(Number.value)" }
    typealias State = LargeState
}

protocol CountedType: Sendable {
    static var value: Int { get }
}

enum Zero: CountedType {
    static var value: Int { 0 }
}

enum Next<Before: CountedType>: CountedType {
    static var value: Int { Before.value + 1 }
}

/// Instances with the same content as ``Small``.
struct Cards: StartableModule {
    typealias State = Small.State

    enum Action: ModuleAction {
        case bumped
    }

    func begin(_ start: NoFields) -> State { State() }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .bumped: state.count += 1
        }
    }
}

/// Notes of about a kilobyte each. An action changes one note.
struct Notes: Module {
    struct State: ModuleState {
        var texts: [String] = []
        var edits = 0
    }

    enum Action: ModuleAction {
        case edited
    }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .edited:
            state.edits += 1
            guard !state.texts.isEmpty else { return }
            let place = state.edits % state.texts.count
            state.texts[place] = Self.text(state.edits)
        }
    }

    static func text(_ number: Int) -> String {
        "note \(number) " + String(repeating: "x", count: 1_000)
    }
}

/// The small module beside a number that the client chooses.
struct BesideViewModel: ParameterizedViewModel {
    struct Parameters: Codable, Sendable {
        var n: Int
    }

    static let reads: [any Module.Type] = [Small.self]

    let count: Int
    let n: Int

    init?(state: BenchState, parameters: Parameters) {
        count = state.small.count
        n = parameters.n
    }
}

struct BenchState: RootState {
    var small = Small.State()
    var cards = BenchState.cards
    var notes = BenchState.notes
    var large: [LargeState] = BenchState.larges

    static let modules: Modules =
        [Small().at(\.small), Cards().at(\.cards), Notes().at(\.notes)] + largeModules(Zero.self)

    static let views: Views = [BesideViewModel.self]

    private static let notes = Notes.State(
        texts: (0..<count("BENCH_NOTES")).map { Notes.text($0) }
    )

    /// The slices of the large modules. Without large modules, the list has one slice without
    /// entries, because each member of the state is the slice of a module.
    private static let larges: [LargeState] = {
        let number = count("BENCH_MODULES")
        return number > 0
            ? Array(repeating: LargeState(), count: number) : [LargeState(entries: [])]
    }()

    private static let cards = {
        var cards = Instances<Small.State>()
        for number in 0..<count("BENCH_INSTANCES") { cards["card\(number)"] = Small.State() }
        return cards
    }()

    private static func count(_ name: String) -> Int {
        getenv(name).flatMap { Int(String(cString: $0)) } ?? 0
    }

    private static func largeModules<Number: CountedType>(_ number: Number.Type) -> Modules {
        let place = Number.value
        guard place < larges.count else { return [] }
        return [Large<Number>().at(\.large[place])] + largeModules(Next<Number>.self)
    }
}
