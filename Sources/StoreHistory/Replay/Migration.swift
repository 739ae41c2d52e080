public import StoreCore
package import StoreWire

/// How an action that an earlier version of the program journaled is read today.
///
/// A journal outlives the program that wrote it. Where an action type is renamed, changed or gone,
/// its records still have to be reduced whenever history is replayed; a start that meets one it
/// can't read stops and names it.
///
/// ```swift
/// struct StepChanged: Decodable { let by: Int }
///
/// StoreServer(state: AppState.initial, actions: actions, reducer: reduce)
///     .migrating(
///         .action("StepChanged", from: StepChanged.self) { StepChangeRequested(step: $0.by) }
///     )
///     .main()
/// ```
public struct Migration: Sendable {
    /// The wire name in the journal.
    package let name: String
    /// Reads the action of today; `nil` where the old one means nothing any more.
    package let read: @Sendable (JSONNode, JSONDecoder) throws(JSONError) -> (any Action)?

    /// Reads the journaled fields as `Old` and translates them.
    ///
    /// - Parameters:
    ///   - name: the wire name under which the records were written.
    ///   - old: the form of the fields that the records have.
    ///   - translate: the action of today that does the same, always the same for the same fields;
    ///     `nil` where it changes nothing any more.
    /// - Returns: the migration for the program's list.
    public static func action<Old: Decodable & Sendable>(
        _ name: String,
        from old: Old.Type,
        _ translate: @escaping @Sendable (Old) -> (any Action)?
    ) -> Migration {
        Migration(name: name) { node, decoder throws(JSONError) in
            translate(try decoder.decode(Old.self, at: node, pointerPrefix: "/payload"))
        }
    }
}
