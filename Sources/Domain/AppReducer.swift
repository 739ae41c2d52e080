public import StoreCore

/// The next state of the whole store: each slice's reducer sees the actions in turn.
///
/// Pure: no clock, no random source, no input or output. An action that no slice knows, such as
/// ``ScreenShown``, changes nothing.
///
/// - Throws: `Refusal` with the reason and the pointer of the member at fault; the state may then
///   be half changed, which is why the Core hands throwing reducers a copy.
public func appReducer(_ state: inout AppState, _ action: any Action) throws {
    try counterReducer(&state.counter, action)
    try todosReducer(&state.todos, action)
}
