internal import Glibc

/// A function that changes the slice of an action. If the function throws, the root is unchanged.
package typealias SliceReducer<Root> =
    @Sendable (inout Root, any Action, SliceKey, ReducerContextSource, ByteComparison?) throws ->
    SliceResult

/// The way in which a store handles one type of action.
package final class ActionHandler<Root: RootState>: Sendable {
    /// The kind of an action.
    package enum Kind: Sendable {
        /// A case of the module's ``Module/Action``.
        case action
        /// A case of ``Module/UI``.
        case ui
        /// A case of ``Module/Internal``.
        case `internal`
        /// A dispatchable, which has a type of its own.
        case dispatchable
        case start, stop
    }

    package let type: any Action.Type
    package let kind: Kind
    /// The type of the action's payload on the wire; `nil` for none.
    package let payloadType: (any (Codable & Sendable).Type)?
    /// The function that changes the slice. If this function throws, the root is unchanged.
    let reduce: SliceReducer<Root>
    /// The function that makes the effect after a start. The root in the argument has the current
    /// copies of all shared values.
    let effectAfterStart: (@Sendable (Root, any Action, SliceAddress) -> AnyEffect?)?
    /// The function that makes the action from its payload, for ``Kind/start`` and ``Kind/stop``.
    package let makeAction: (@Sendable (any Codable) -> (any Action)?)?
    /// The function that returns the payload of a start or a stop: the inverse of ``makeAction``.
    package let extractPayload: (@Sendable (any Action) -> (any Codable)?)?

    init(
        _ type: any Action.Type,
        _ kind: Kind,
        payloadType: (any (Codable & Sendable).Type)?,
        makeAction: (@Sendable (any Codable) -> (any Action)?)? = nil,
        extractPayload: (@Sendable (any Action) -> (any Codable)?)? = nil,
        effectAfterStart: (@Sendable (Root, any Action, SliceAddress) -> AnyEffect?)? = nil,
        reduce: @escaping SliceReducer<Root>
    ) {
        self.type = type
        self.kind = kind
        self.payloadType = payloadType
        self.makeAction = makeAction
        self.extractPayload = extractPayload
        self.effectAfterStart = effectAfterStart
        self.reduce = reduce
    }
}

extension ActionHandler {
    /// Makes the handlers of a module's action enums, without the enums that are `Never`.
    static func forEnums<M: Module>(
        of module: M.Type,
        _ action: @escaping SliceReducer<Root>,
        ui: @escaping SliceReducer<Root>,
        internal: @escaping SliceReducer<Root>
    ) -> [ActionHandler] {
        func handler<A: ModuleAction>(
            _ type: A.Type,
            _ kind: Kind,
            _ reduce: @escaping SliceReducer<Root>
        ) -> ActionHandler? {
            guard A.self != Never.self else { return nil }
            return ActionHandler(A.self, kind, payloadType: A.self, reduce: reduce)
        }
        return [
            handler(M.Interface.Action.self, .action, action),
            handler(M.UI.self, .ui, ui),
            handler(M.Internal.self, .internal, `internal`),
        ].compactMap(\.self)
    }
}

/// The result of reducing an action on its slice: the change, and the effect that follows.
package struct SliceResult {
    /// True if the slice has other bytes than before.
    let changesSlice: Bool
    /// True if the action started a slice that already existed.
    var isRestart = false
    /// The effect that the reducer returned.
    var effect: AnyEffect?

    package static let unchanged = SliceResult(changesSlice: false)
}

/// A function that returns true if two values of one type have the same bytes on the wire.
///
/// Values that `==` calls equal may have different bytes: U+00E9 and e with U+0301, 0.0 and -0.0.
package typealias ByteComparison = @Sendable (any Encodable, any Encodable) -> Bool

/// Returns true if a slice has changed. If `==` finds no difference, the bytes decide.
@inline(__always)
func differs<State: Equatable & Encodable>(
    _ old: State,
    _ new: State,
    _ comparison: ByteComparison?
) -> Bool {
    if isIdentical(old, new) { return false }
    if old != new { return true }
    guard let comparison else { return false }
    return !comparison(old, new)
}

/// Returns true if two values are the same in memory, and so are equal in every way.
@inline(__always)
func isIdentical<Value>(_ a: Value, _ b: Value) -> Bool {
    withUnsafeBytes(of: a) { a in
        withUnsafeBytes(of: b) { b in
            guard let first = a.baseAddress, let second = b.baseAddress else { return true }
            return memcmp(first, second, a.count) == 0
        }
    }
}

/// Returns true if the values at two addresses have the same bytes in memory.
@inline(__always)
func isIdentical<Value>(_ a: UnsafePointer<Value>, _ b: UnsafePointer<Value>) -> Bool {
    memcmp(a, b, MemoryLayout<Value>.size) == 0
}
