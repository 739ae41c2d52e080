package import StoreCore

/// The maker of the analytics records for the actions of one type.
package struct AnalyticsRecorder<State>: Sendable {
    /// A function that returns the record of an action. The function receives the action, the state
    /// before the action, and the action's sender and instance.
    package typealias RecordMaker =
        @Sendable (any Action, State, ReducerContext) -> (any Encodable & Sendable)?

    package let type: any TrackedAction.Type
    /// The function that makes records; `nil` if the type declares its analytics for another type
    /// of state.
    package let makeRecord: RecordMaker?

    /// Makes the recorder of a type that belongs to the whole state.
    init(of type: any TrackedAction.Type) {
        self.type = type
        makeRecord = Self.wholeStateRecordMaker(type)
    }

    /// Makes the recorder of a type that belongs to a module. The `State` of the type is the
    /// module's slice or the whole state.
    init<A: TrackedAction>(of type: A.Type, in mount: Mount<State>) where State: RootState {
        self.type = type
        guard
            !(type is any TrackedInstanceAction.Type) || mount.slicePlace.cardinality == .instances
        else {
            makeRecord = nil
            return
        }
        makeRecord =
            (A.State.self as? any ModuleState.Type).flatMap {
                Self.sliceRecordMaker(of: type, in: $0, mount)
            }
            ?? Self.wholeStateRecordMaker(type)
    }

    private static func wholeStateRecordMaker<A: TrackedAction>(_ type: A.Type) -> RecordMaker? {
        guard A.State.self == State.self else { return nil }
        return { action, state, context in
            (state as? A.State).flatMap { analyticsRecord(A.self, action, $0, context.instance) }
        }
    }

    private static func sliceRecordMaker<A: TrackedAction, Slice: ModuleState>(
        of type: A.Type,
        in slice: Slice.Type,
        _ mount: Mount<State>
    ) -> RecordMaker? where State: RootState {
        guard let place = mount.place(of: slice) else { return nil }
        return { action, root, context in
            let owner = place.ownership.owner(of: context.principal?.name, in: context.session)
            let own = SliceKey(owner: owner, instance: context.instance)
            return (place.read(root, own) as? A.State)
                .flatMap { analyticsRecord(A.self, action, $0, context.instance) }
        }
    }

    private static func analyticsRecord<A: TrackedAction>(
        _ type: A.Type,
        _ action: any Action,
        _ state: A.State,
        _ instance: String?
    ) -> (any Encodable & Sendable)? {
        guard let action = action as? A else { return nil }
        guard let instance, let addressed = action as? any TrackedInstanceAction else {
            return action.record(before: state)
        }
        return instanceRecord(of: addressed, before: state, of: instance)
    }

    private static func instanceRecord<A: TrackedInstanceAction>(
        of action: A,
        before state: Any,
        of instance: String
    ) -> (any Encodable & Sendable)? {
        (state as? A.State).map { action.record(before: $0, of: instance) }
    }
}
