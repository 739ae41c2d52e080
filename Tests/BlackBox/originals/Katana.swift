// swift-format-ignore-file

// The unchanged lines of Katana's README, within the code that they need. The lines that can't be
// kept word for word are in a table of docs/SEEDS.md.

import StoreCore
import StorePatterns

struct Counter: Module {
    typealias State = CounterState

    static let dispatchables: [any Dispatchable.Type] = [
        IncrementCounter.self, SetCounter.self, GenerateRandomNumberFromBackend.self,
    ]
}

struct CounterState: ModuleState {
    var counter: Int = 0
}

struct IncrementCounter: StateUpdater {
    func updateState(_ state: inout CounterState) {
        state.counter += 1
    }
}

struct SetCounter: StateUpdater {
    let newValue: Int

    func updateState(_ state: inout CounterState) {
        state.counter = self.newValue
    }
}

struct GenerateRandomNumberFromBackend: SideEffect {
    func sideEffect(_ context: EffectContext<CounterState>) async throws {
        let newValue = try await context.dependencies.APIManager.getRandomNumber()

        // then the state is updated using the proper state updater
        try await (context.dispatch(SetCounter(newValue: newValue)))
    }
}

struct Backend {
    func getRandomNumber() async throws -> Int { 4 }
}

enum BackendKey: DependencyKey {
    static let live = Backend()
}

extension Dependencies {
    var APIManager: Backend {
        get throws { try self[BackendKey.self] }
    }
}

struct AppState: RootState {
    var counter = CounterState()

    static let modules: Modules = [Counter().at(\.counter)]
}

func begin() throws {
    let store = try Core(AppState())
    store.dispatch(IncrementCounter())
    store.observe { state in
        // the app state has changed
    }
    store.add(
        reaction: .onStart {
            // the item that is dispatched when the store is initialized
            IncrementCounter()
        }
    )
}
