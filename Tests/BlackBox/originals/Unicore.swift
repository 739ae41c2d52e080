// swift-format-ignore-file

// The unchanged lines of Unicore's README, within the functions that they need. The lines that
// can't be kept word for word are in a table of docs/SEEDS.md.

import Dispatch
import StoreCore
import StorePatterns
import XCTest

// App State

struct AppState: Codable {
    let counter: Int
    let step: Int

    static let initial = AppState(counter: 0, step: 1)
}

// Actions

struct StepChangeRequested: Action {
    let step: Int
}

struct CounterIncreaseRequested: Action {}
struct CounterDecreaseRequested: Action {}

struct ScreenShown: Action {
    let name: String
}

// Reducer

func reduce(_ old: AppState, with action: Action) -> AppState {
    switch action {

    case let payload as StepChangeRequested:
        return AppState(
            counter: old.counter,
            step: payload.step
        )

    case _ as CounterIncreaseRequested:
        return AppState(
            counter: old.counter + old.step,
            step: old.step
        )

    case _ as CounterDecreaseRequested:
        return AppState(
            counter: old.counter - old.step,
            step: old.step
        )

    default:return old
    }
}

func testReducer_StepChangeRequestedAction_stepMustBeUpdated() {
    let sut = AppState(counter: 0, step: 1)
    let action = StepChangeRequested(step: 7)
    let new = reduce(sut, with: action)
    XCTAssertEqual(new.step, 7)
}

func testReducer_CounterIncreaseRequested_counterMustBeIncreased() {
    let sut = AppState(counter: 0, step: 3)
    let action = CounterIncreaseRequested()
    let new = reduce(sut, with: action)
    XCTAssertEqual(new.counter, 3)
}

func testReducer_CounterDecreaseRequested_counterMustBeDecreased() {
    let sut = AppState(counter: 0, step: 3)
    let action = CounterDecreaseRequested()
    let new = reduce(sut, with: action)
    XCTAssertEqual(new.counter, -3)
}

// Core

func design() -> Core<AppState> {
    let core = Core<AppState>( // #1
        state: AppState.initial, // #2
        reducer: reduce // #3
    )
    return core
}

// Create Core

func create(reducer: @escaping Reducer<AppState>) -> Core<AppState> {
    let core = Core<AppState>(state: AppState.initial, reducer: reducer)
    return core
}

// Dispatch

func dispatch(to core: Core<AppState>) {
    let action = CounterIncreaseRequested() // #1
    core.dispatch(action) // #2
}

// Subscribe

func subscribe(to sut: Core<AppState>, disposer: Disposer) {
    sut.observe { state in
        // do something with state
        print(state.counter)
    }.dispose(on: disposer) // dispose the subscription when current disposer will dispose
}

struct Label: Sendable {
    nonisolated var text: String {
        get { "" }
        nonmutating set { print(newValue) }
    }
}

final class Screen: Sendable {
    let counterLabel = Label()

    func show(_ core: Core<AppState>, disposer: Disposer) {
        core.observe(on: .main) { (state) in
            self.counterLabel.text = String(state.counter)
        }.dispose(on: disposer)
    }
}

// Dispose

class YourClass {
    var unsubscribe: PlainCommand?

    func connect(to core: Core<AppState>) {
        unsubscribe = core.observe { (state) in
            // handle the state
        }
    }

    deinit {
        unsubscribe?()
    }
}

class YourClassWithDisposer {
    let disposer = Disposer()

    func connect(to core: Core<AppState>) {
        core.observe { (state) in
            // handle the state
        }.dispose(on: disposer)
    }
}

func observe(_ core: Core<AppState>) {
    let unsubscribe: PlainCommand? = core.observe { (state) in
        if state.counter > 7 { print(state.counter) }
        print(state.step)
    }
    unsubscribe?()
}

// Register Middleware

struct Tracker {
    func trackScreenShown(_ name: String, counter: Int) { print(name, counter) }
}

func register(_ core: Core<AppState>, _ tracker: Tracker, _ disposer: Disposer) {
    core.add(middleware: { (state, action) in
        if let payload = action as? ScreenShown {
            // if action is ScreenShown then track that screen has been shown
            // using screen name from action and application state at the moment
            tracker.trackScreenShown(payload.name, counter: state.counter)
        }
    }).dispose(on: disposer)

    core.onAction { (state, action) in
        if let payload = action as? ScreenShown {
            tracker.trackScreenShown(payload.name, counter: state.counter)
        }
    }.dispose(on: disposer)

    // Several statements and no types.
    core.add(middleware: { state, action in
        guard let payload = action as? ScreenShown else { return }
        tracker.trackScreenShown(payload.name, counter: state.counter)
    })
    core.add(middleware: { state, action, envelope in
        guard let payload = action as? ScreenShown else { return nil }
        let counter = state.counter
        return { tracker.trackScreenShown(payload.name, counter: counter) }
    })
}

// Command

func commands() {
    let commandInt = Command<Int>(action: { value in
        print(value)
    })
    let c = Command<Int>{ value in
        print(value)
    }
    let printInt = Command<Int>.init(id: "Print the int") { (value) in
        print(value)
    }
    let plainCommand = PlainCommand {
        print("Hello")
    }

    commandInt(with: 7)
    c.execute(with: 7)
    plainCommand()

    let printSeven = printInt.bound(to: 7)
    printSeven()

    let printSevenOnMain = printSeven.async(on: .main)
    printSevenOnMain()
}
