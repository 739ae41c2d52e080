import Domain
import StoreServer

@main
struct App {
    static func main() {
        StoreServer(
            state: AppState.initial,
            actions: .module("counter", counterActions) + .module("todos", todosActions)
                + [ScreenShown.self],
            reducer: appReducer
        ).main()
    }

    private static let counterActions: [ActionList.Element] = [
        CounterIncreaseRequested.self, CounterDecreaseRequested.self, StepChangeRequested.self,
    ]
    private static let todosActions: [ActionList.Element] = [
        AddItem.self, CompleteItem.self, DeleteItem.self, ArchiveCompleted.self,
    ]
}
