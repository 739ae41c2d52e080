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
///
/// The name may be one that the program still has, with other fields: the journal has the form in
/// which each record was written, and only records of another form are migrated. Records of older
/// journals have no form; there the type of today is tried first.
public struct Migration: Sendable {
    /// The wire name in the journal; for the actions of all instances of a module with `{id}`.
    package let name: String
    /// The form of the fields that it reads, as ``FormText`` writes it.
    package let form: String?
    /// Reads the action of today; `nil` if the old one means nothing any more. The instance's id
    /// is empty where the name has none.
    package let read:
        @Sendable (JSONNode, _ instance: String, JSONDecoder) throws(JSONError) -> (any Action)?

    /// Reads the journaled fields as `Old` and translates them.
    ///
    /// For the actions of a module's instances the name has `{id}` in the place of the id,
    /// `boards/{id}/cardAdded`, and the result goes to the same instance.
    ///
    /// - Parameters:
    ///   - name: the wire name under which the records were written.
    ///   - old: the form of the fields that the records have.
    ///   - translate: the action of today that does the same, always the same for the same fields;
    ///     `nil` where it changes nothing any more.
    /// - Returns: the migration for the program's list.
    public static func action<Old: Decodable & SendableMetatype>(
        _ name: String,
        from old: Old.Type,
        _ translate: @escaping @Sendable (Old) -> (any Action)?
    ) -> Migration {
        action(name, from: old) { fields, _ in translate(fields) }
    }

    /// The same, with the instance's id, which `translate` may map to another one.
    ///
    /// ```swift
    /// .action("boards/{id}/cardAdded", from: OldCard.self) { old, id in
    ///     BoardAction.cardAdded(title: old.text).to("board-" + id)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the wire name, with `{id}` in the place of the id.
    ///   - old: the form of the fields that the records have.
    ///   - translate: the action of today, given the fields and the id. It goes to the same
    ///     instance, unless it names another one. The id is empty where the name has none.
    /// - Returns: the migration for the program's list.
    public static func action<Old: Decodable & SendableMetatype>(
        _ name: String,
        from old: Old.Type,
        _ translate: @escaping @Sendable (Old, String) -> (any Action)?
    ) -> Migration {
        Migration(name: name, form: FormText.text(of: old)) { node, id, decoder throws(JSONError) in
            translate(try decoder.decode(Old.self, at: node, pointerPrefix: "/payload"), id)
        }
    }

    /// Passes over the records of a name, whatever their fields: they mean nothing any more.
    ///
    /// - Parameter name: the wire name; with `{id}` for the actions of a module's instances.
    /// - Returns: the migration for the program's list.
    public static func dropped(_ name: String) -> Migration {
        Migration(name: name, form: nil) { _, _, _ throws(JSONError) in nil }
    }
}
