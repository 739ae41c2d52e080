import Glibc
import StoreCore
import StoreServer

/// A server whose state is one small module, as many large ones beside it as `BENCH_MODULES` says, and
/// one of as many instances as `BENCH_INSTANCES` says.
@main
struct ModulesServer {
    static func main() { StoreServer(BenchState.self).main() }
}

/// About a hundred bytes.
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

/// About 200 kB, of which nothing ever changes.
struct LargeState: ModuleState {
    var entries: [String] = (0..<1_000).map { "entry \($0) " + String(repeating: "x", count: 192) }
}

/// One of many modules of one form: numbers as types tell them apart.
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

/// Instances of what ``Small`` is.
struct Cards: StartableModule {
    enum Action: ModuleAction {
        case bumped
    }

    func begin(_ start: NoFields) -> Small.State { Small.State() }

    func reduce(_ state: inout Small.State, _ action: Action) {
        switch action {
        case .bumped: state.count += 1
        }
    }
}

struct BenchState: RootState {
    var small = Small.State()
    var cards = BenchState.cards
    var large = Array(repeating: LargeState(), count: BenchState.largeCount)

    static let modules: Modules =
        [Small().at(\.small), Cards().at(\.cards)] + larges(Zero.self)

    private static let largeCount = count("BENCH_MODULES")

    private static let cards = {
        var cards = Instances<Small.State>()
        for number in 0..<count("BENCH_INSTANCES") { cards["card\(number)"] = Small.State() }
        return cards
    }()

    private static func count(_ name: String) -> Int {
        getenv(name).flatMap { Int(String(cString: $0)) } ?? 0
    }

    private static func larges<Number: CountedType>(_ number: Number.Type) -> Modules {
        let place = Number.value
        guard place < largeCount else { return [] }
        return [Large<Number>().at(\.large[place])] + larges(Next<Number>.self)
    }
}
