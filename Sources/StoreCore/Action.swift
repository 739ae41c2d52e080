/// A value for what has happened or is asked for. Its fields are the details; it may have none.
///
/// Any value that threads can share can be an action:
///
/// ```swift
/// struct StepChangeRequested: Action {
///     let step: Int
/// }
/// ```
public protocol Action: Sendable {}
