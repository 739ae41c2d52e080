public import StoreCore
package import StoreJSON
import StoreJSONSchema

/// A rule for reading an action that an earlier version of the program journaled.
///
/// A journal outlives the program that wrote it. If an action type is renamed, changed or removed,
/// its records still have to be reduced in every replay. If a record has no migration and can't be
/// read, a start fails with an error that names the record.
///
/// ```swift
/// struct StepChanged: Decodable { let by: Int }
///
/// Server(state: AppState.initial, actions: actions, reducer: reduce)
///     .migrations(
///         .action("StepChanged", from: StepChanged.self) { StepChangeRequested(step: $0.by) }
///     )
///     .main()
/// ```
///
/// The name may also belong to an action type of today that had other fields before. The journal
/// names the program that wrote each record, so only the records of earlier programs are migrated.
/// Records of older journals name no program; for such records, today's type is tried first.
public struct Migration: Sendable {
    /// The wire name in the journal; with `{id}` for the actions of all instances of a module.
    package let name: String
    /// The form of the fields that the migration reads, as ``PayloadText`` writes it; `nil` if the
    /// migration drops the records.
    package let form: String?
    /// The function that returns the action of today; `nil` if the old action is dropped. The
    /// instance's id is empty if the name has no id.
    package let translate:
        @Sendable (JSONNode, _ instance: String, JSONDecoder) throws(JSONError) -> (any Action)?

    /// Makes a migration that reads the journaled fields as `Old` and translates them.
    ///
    /// For an action of a module's instances, the name has `{id}` in place of the id, as in
    /// `boards/{id}/cardAdded`. The action of today goes to the instance with that id.
    ///
    /// - Parameters:
    ///   - name: the wire name under which the records were written.
    ///   - old: the form of the fields that the records have.
    ///   - translate: returns the action of today with the same meaning, or `nil` if the action no
    ///     longer changes anything. The result has to be the same for the same fields.
    /// - Returns: the migration for the program's list.
    public static func action<Old: Decodable & SendableMetatype>(
        _ name: String,
        from old: Old.Type,
        _ translate: @escaping @Sendable (Old) -> (any Action)?
    ) -> Migration {
        action(name, from: old) { fields, _ in translate(fields) }
    }

    /// Makes a migration that reads the journaled fields as `Old`, and translates them with the
    /// instance's id. `translate` may return an action for another id.
    ///
    /// ```swift
    /// .action("boards/{id}/cardAdded", from: OldCard.self) { old, id in
    ///     BoardAction.cardAdded(title: old.text).to("board-" + id)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the wire name, with `{id}` in place of the id.
    ///   - old: the form of the fields that the records have.
    ///   - translate: returns the action of today, given the fields and the id. If the action names
    ///     no other instance, the action goes to the instance with this id. The id is empty if the
    ///     name has no id.
    /// - Returns: the migration for the program's list.
    public static func action<Old: Decodable & SendableMetatype>(
        _ name: String,
        from old: Old.Type,
        _ translate: @escaping @Sendable (Old, String) -> (any Action)?
    ) -> Migration {
        Migration(name: name, form: PayloadText.text(of: old)) {
            node,
            id,
            decoder throws(JSONError) in
            translate(try decoder.decode(Old.self, at: node, pointerPrefix: "/payload"), id)
        }
    }

    /// Makes a migration that skips all records of a name. Use this migration for records that have
    /// no meaning today.
    ///
    /// - Parameter name: the wire name; with `{id}` for the actions of a module's instances.
    /// - Returns: the migration for the program's list.
    public static func dropped(_ name: String) -> Migration {
        Migration(name: name, form: nil) { _, _, _ throws(JSONError) in nil }
    }
}
