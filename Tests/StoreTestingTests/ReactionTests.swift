import StoreCore
import StorePatterns
import StoreTesting
import Testing

@Suite struct ReactionTests {
    private struct Doubled: Action, Equatable {}

    struct StockLevel: Codable {
        let level: Int
    }

    struct StockChanged: StateUpdater, Equatable {
        let level: Int

        func updateState(_ state: inout Stock.State) { state.level = level }
    }

    struct Stock: Module {
        struct State: ModuleState {
            var level = 0
        }

        static let dispatchables: [any Dispatchable.Type] = [StockChanged.self]
    }

    private struct Shop: RootState {
        var tally = Tally.State()
        var stock = Stock.State()
        static let modules: Modules = [Tally().at(\.tally), Stock().at(\.stock)]
    }

    @Test func `the work of an interceptor is one change`() async {
        let store = TestStore(Shop())
        store.add(interceptor: { state, action, _ in
            if action is Doubled {
                return .replace(with: Tally.Action.stepChanged(to: 2 * state.tally.step))
            }
            if action as? Tally.Action == .increased {
                return .follow(with: Tally.Action.increased)
            }
            throw Refusal(reason: "Closed.")
        })
        await store.send(Doubled()) { $0.tally.step = 2 }
        await store.send(Tally.Action.increased) { $0.tally.count = 4 }
        await store.send(StockChanged(level: 1), refused: "Closed.")
        await store.finish()
    }

    @Test func `actions of reactions are received`() async {
        let store = TestStore(Shop())
        store.add(reaction: .onStart { Tally.Action.stepChanged(to: 3) })
        await store.receive(Tally.Action.stepChanged(to: 3)) { $0.tally.step = 3 }
        store.add(
            reaction: .onStateChange { old, new in
                new.tally.count > 5 && old.tally.count <= 5 ? StockChanged(level: 9) : nil
            }
        )
        await store.send(Tally.Action.increased) { $0.tally.count = 3 }
        await store.send(Tally.Action.increased) { $0.tally.count = 6 }
        await store.receive(StockChanged(level: 9)) { $0.stock.level = 9 }
        await store.finish()
    }

    @Test func `a notification starts its reactions, or is a failure without them`() async {
        let failures = Failures()
        let store = TestStore(Shop(), reporter: failures.reporter)
        store.add(
            reaction: .onNotification("stock", as: StockLevel.self) {
                StockChanged(level: $0.level)
            }
        )
        await store.notify("stock", StockLevel(level: 3))
        await store.receive(StockChanged(level: 3)) { $0.stock.level = 3 }
        #expect(failures.take() == [])
        await store.notify("stok", StockLevel(level: 3))
        #expect(
            failures.take() == ["No reaction follows 'stok'.\n\nAdd it: store.add(reaction: …)"]
        )
    }
}
