/// A value for an event or a request. Its fields are the details; an action without details has
/// none.
///
/// Any value that threads can share can be an action:
///
/// ```swift
/// struct StepChangeRequested: Action {
///     let step: Int
/// }
/// ```
public protocol Action: Sendable {}
