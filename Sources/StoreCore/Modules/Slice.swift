internal import Glibc

/// A module at its place, or a field, whatever its types are.
package protocol Slice<Root>: Sendable {
    associatedtype Root: RootState

    /// The module's name.
    var name: String { get }
    /// Whether the slice may be absent, or be there several times.
    var form: SliceForm { get }
    /// Whose the slices are.
    var ownership: SliceOwnership { get }
    /// What is done with each of the module's types of action.
    var handlers: [ActionHandler<Root>] { get }
    /// What may be asked of the module besides actions.
    var useCases: [BoundUseCase<Root>] { get }
    /// Whether some of its effects have a ``RestartPolicy`` besides `lost`.
    var keepsEffects: Bool { get }
    /// The module itself; `nil` for a field, which has none.
    var anyModule: (any Module)? { get }
    /// The presentation of all modules, where this one brings it.
    func presentation(
        of modules: Root.Modules,
        _ dependencies: Dependencies
    ) -> (any RootPresentation<Root>)?
    /// Makes effects again that the ledger has kept.
    ///
    /// - Throws: where this program can't read what is kept, or has no such work.
    func effect(
        again work: KeptWork,
        at address: SliceAddress,
        _ codec: any WorkCodec
    ) throws -> PendingEffect?
    /// The action that reports effects that did not end.
    func interrupted(after version: UInt64) -> (any Action)?
    /// Dispatchables that the module lists, but that are for another state.
    var foreignDispatchables: [any Dispatchable.Type] { get }
    /// The type of what a client gets of the slice, for schemas.
    var wireType: any (Codable & Sendable).Type { get }

    /// Where the slice lies, a `SlicePlace<Root, State>`, for callers that have its type.
    func place<State: ModuleState>(of state: State.Type) -> Any?
    /// The type of what the module lets others see; `nil` where it shares nothing.
    var sharedType: (any Any.Type)? { get }
    /// What a slice of the module lets others see; `nil` where it is absent or shares nothing.
    func shared(_ root: Root, _ key: SliceKey) -> (any Sendable)?
    func isEqual(_ a: Root, _ b: Root) -> Bool
    /// The slice as it stands in the root; `nil` where it is absent.
    func value(_ root: Root) -> (any Encodable & Sendable)?
    /// Whether a slice is there.
    func isThere(_ root: Root, _ key: SliceKey) -> Bool
    /// Throws a ``Refusal`` where the slice is not there.
    func check(_ root: Root, _ key: SliceKey) throws
    /// Takes out all that a session has. Returns whether there was something.
    func end(session: String, _ root: inout Root) -> Bool
    /// Has the state read on behalf of a session.
    func show(_ root: inout Root, to reader: SessionReader)
    /// Has `seen` called where the Core works, for each slice that begins or ends, and first for
    /// each that is there.
    func watch(
        _ changes: SliceChanges<Root>,
        _ core: Core<Root>,
        _ seen: @escaping @Sendable (SliceKey, _ isThere: Bool) -> Void
    )
    /// Puts in order what a function of the whole state has written, where `old` is the state
    /// before it. Returns the slices that are not as they were.
    func settle(
        _ root: inout Root,
        after old: Root,
        _ settling: Settling<Root>
    ) throws -> [SliceKey]
    /// The sessions whose parts of the slice differ, where a module has a part for each; `nil`
    /// where it has none, or the slices have keys.
    func changedSessions(_ old: Root, _ new: Root) -> [String]?
    func encode(
        _ root: Root,
        to container: inout KeyedEncodingContainer<SliceName>,
        under name: SliceName
    ) throws
    /// Reads what a client gets of the slice, and drops it.
    func readVisible(
        from container: KeyedDecodingContainer<SliceName>,
        under name: SliceName
    ) throws
    func decode(
        _ root: inout Root,
        from container: KeyedDecodingContainer<SliceName>,
        under name: SliceName
    ) throws
}

/// How often a module's slice is there, for all or for one session.
package enum SliceForm: Sendable {
    case always, started, instances
}

/// Whose a module's slices are.
package enum SliceOwnership: Sendable {
    /// shared.
    case everybody
    /// Each session has its own: ``PerSession``.
    case session
    /// One slice has a part for each session, under the session's name.
    case partForSession
}

/// Changes the slice that an action is for. Leaves the root as it was where it throws.
package typealias SliceReducer<Root> =
    @Sendable (inout Root, any Action, SliceKey, ByteComparison?) throws
    -> SliceResult

/// What a store does with one type of action.
package final class ActionHandler<Root: RootState>: Sendable {
    /// What kind of action it is, as others may see it.
    package enum Kind: Sendable {
        /// A case of the module's ``Module/Action``.
        case action
        /// A case of ``Module/UI``.
        case ui
        /// A case of ``Module/Internal``.
        case `internal`
        /// A type of its own.
        case dispatchable
        case start, stop
    }

    package let type: any Action.Type
    package let kind: Kind
    /// The type of its payload on the wire; `nil` for none.
    package let wire: (any (Codable & Sendable).Type)?
    /// Changes the slice. Leaves the root as it was where it throws.
    let reduce: SliceReducer<Root>
    /// The work that follows a start, made of the state with all that the slice sees of others.
    let effectAfterStart: (@Sendable (Root, any Action, SliceAddress) -> PendingEffect?)?
    /// Makes the action of its payload, for ``Kind/start`` and ``Kind/stop``.
    package let make: (@Sendable (any Codable) -> (any Action)?)?
    /// Takes an action's payload, where ``make`` makes one.
    package let payload: (@Sendable (any Action) -> (any Codable)?)?

    package init(
        _ type: any Action.Type,
        _ kind: Kind,
        wire: (any (Codable & Sendable).Type)?,
        make: (@Sendable (any Codable) -> (any Action)?)? = nil,
        payload: (@Sendable (any Action) -> (any Codable)?)? = nil,
        effectAfterStart: (@Sendable (Root, any Action, SliceAddress) -> PendingEffect?)? = nil,
        reduce: @escaping SliceReducer<Root>
    ) {
        self.type = type
        self.kind = kind
        self.wire = wire
        self.make = make
        self.payload = payload
        self.effectAfterStart = effectAfterStart
        self.reduce = reduce
    }
}

/// What an action has done to its slice, and what is to be done about it.
package struct SliceResult {
    /// Whether the slice has other bytes than before.
    let isChange: Bool
    /// Whether a slice was started that was there already.
    var isRestart = false
    /// The work outside of the Core that its reducer has asked for.
    var effect: PendingEffect?

    package static let same = SliceResult(isChange: false)
}

/// Returns whether two values of one type have the same bytes on the wire.
///
/// Values that `==` calls equal may differ there: U+00E9 equals e with U+0301, and 0.0 equals -0.0.
package typealias ByteComparison = @Sendable (any Encodable, any Encodable) -> Bool

/// Whether a slice has changed: `==` decides where it finds a difference, and else the bytes.
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

/// Whether two values are the same in memory, and so in all else.
@inline(__always)
func isIdentical<Value>(_ a: Value, _ b: Value) -> Bool {
    withUnsafeBytes(of: a) { a in
        withUnsafeBytes(of: b) { b in
            guard let first = a.baseAddress, let second = b.baseAddress else { return true }
            return memcmp(first, second, a.count) == 0
        }
    }
}

/// Likewise, of values where they lie.
@inline(__always)
func isIdentical<Value>(_ a: UnsafePointer<Value>, _ b: UnsafePointer<Value>) -> Bool {
    memcmp(a, b, MemoryLayout<Value>.size) == 0
}

/// Which slice: a module's, of a session and of an instance where it has these.
package struct SliceAddress: Hashable, Sendable {
    package let module: String
    package let key: SliceKey

    package init(module: String, _ key: SliceKey = .only) {
        self.module = module
        self.key = key
    }

    package var instance: String? { key.instance }

    /// As it stands in wire names and paths, which don't name the session: `card/7`.
    package var path: String { key.instance.map { module + "/" + $0 } ?? module }

    package static func == (a: SliceAddress, b: SliceAddress) -> Bool {
        a.module.isSame(as: b.module) && a.key == b.key
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(module))
        hasher.combine(key)
    }
}

/// An action for one of a module's instances.
public struct AddressedAction: Action, Equatable {
    /// The action itself.
    public let action: any Action
    /// The instance's id.
    public let instance: String

    /// Whether both are for the same instance, and the actions are equal; those of a type that is
    /// not `Equatable` are not.
    public static func == (a: AddressedAction, b: AddressedAction) -> Bool {
        guard a.instance.isSame(as: b.instance), let action = a.action as? any Equatable else {
            return false
        }
        return action.isSame(as: b.action)
    }
}

extension Equatable {
    fileprivate func isSame(as other: Any) -> Bool { other as? Self == self }
}

extension Action {
    /// The same action, for the instance of this id.
    public func to(_ instance: String) -> AddressedAction {
        AddressedAction(action: self, instance: instance)
    }
}
