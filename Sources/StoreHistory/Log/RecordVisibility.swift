package import StoreActionCatalog
package import StoreCore
package import StoreWire

/// The rules that decide if a viewer may read a record of the log, by the owner and the module of
/// the record.
///
/// If no module has slices of sessions or users, all records are shared. Otherwise a record is
/// shared if its action changes a shared slice or the whole state. All other records belong to
/// their sessions or users, even if their actions change nothing. A record of a restricted slice
/// belongs to the readers that the slice has after the action.
package struct RecordVisibility: Sendable {
    /// The actions of the program; `nil` if every viewer may read all records.
    private let actions: ActionTable?
    /// The owners of the slices of each module.
    private let ownershipByModule: [String: SliceOwnership]
    private let hasOwners: Bool
    /// The port that finds the readers of records of restricted slices; `nil` if no module has such
    /// slices.
    private let readersFinder: (any RecordReadersFinder)?

    /// Makes the rules for a state of these modules. `hasRoles` is true if the sight of a
    /// role may lack modules. `readers` finds the readers of records of restricted slices.
    package init(
        _ actions: ActionTable?,
        _ modules: [(name: String, ownership: SliceOwnership)],
        hasRoles: Bool = false,
        readers: (any RecordReadersFinder)? = nil
    ) {
        readersFinder = modules.contains { $0.ownership == .readers } ? readers : nil
        hasOwners = modules.contains { $0.ownership != .everybody }
        self.actions = hasOwners || hasRoles ? actions : nil
        ownershipByModule = Dictionary(modules.map { ($0.name, $0.ownership) }) { first, _ in first
        }
    }

    /// The rules of a store in which every viewer may read all records.
    package static let unrestricted = RecordVisibility(nil, [])

    /// Returns the owners of records, in their order. The records have ascending versions. If some
    /// records are on restricted slices, waits for the disk.
    package func owners(of records: some Collection<Record>) -> [RecordOwner] {
        let owners = records.map { owner(of: $0, readers: []) }
        guard let readersFinder, owners.contains(where: { $0.readers != nil }) else {
            return owners
        }
        let restricted = zip(records, owners).compactMap { record, owner in
            owner.readers == nil ? nil : restrictedRecord(record)
        }
        let readers = readersFinder.readers(of: restricted)
        return zip(records, owners).map { record, owner in
            owner.readers == nil
                ? owner : self.owner(of: record, readers: readers[record.version] ?? [])
        }
    }

    private func restrictedRecord(_ record: Record) -> RestrictedRecord? {
        guard let action = actions?[record.type], let module = action.module else { return nil }
        return RestrictedRecord(
            version: record.version,
            module: module,
            instance: action.instance
        )
    }

    /// Returns the owner of a record. `readers` are the readers of the record if it is on a
    /// restricted slice.
    private func owner(of record: Record, readers: [String]) -> RecordOwner {
        guard let actions else { return RecordOwner() }
        let action = actions[record.type]
        let isOfWholeState = action?.entry.isOfWholeState == true
        let module = isOfWholeState ? nil : action?.module
        guard hasOwners, !isOfWholeState else { return RecordOwner(module: module) }
        let owner: String? =
            switch module.flatMap({ ownershipByModule[$0] }) {
            case .everybody?, .readers?: nil
            case .principal?: OwnerName.ofClient(as: record.principal?.name, in: record.session)
            case .session?, .keyedBySession?, nil: record.session ?? SessionName.shared
            }
        let isRestricted = module.flatMap { ownershipByModule[$0] } == .readers
        return RecordOwner(
            owner: owner.map { ExactText($0) },
            module: module,
            readers: isRestricted ? readers : nil
        )
    }

    /// Returns true if a viewer may read a record. Waits for the disk if the record is on a
    /// restricted slice.
    package func isVisible(_ record: Record, to viewer: Viewer) -> Bool {
        !visibleRecords([record], to: viewer).isEmpty
    }

    /// Returns the records that a viewer may read. The records have ascending versions. If some
    /// records are on restricted slices, waits for the disk.
    package func visibleRecords(_ records: [Record], to viewer: Viewer) -> [Record] {
        guard !viewer.seesAll, hasRestrictions else { return records }
        return zip(records, owners(of: records)).filter { $1.isVisible(to: viewer) }.map(\.0)
    }

    /// True if there may be records that some viewers are not allowed to read.
    package var hasRestrictions: Bool { actions != nil }
}
