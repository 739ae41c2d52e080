import StoreCore
import StorePatterns
import StoreServer

/// The program in its first form, and in a later form.
enum ShippedEdition: Int, Sendable, CaseIterable {
    case first, second

    /// The edition that a start serves.
    @TaskLocal static var current = ShippedEdition.first

    var other: ShippedEdition { self == .first ? .second : .first }

    /// The actions of bins that this edition has.
    var binActions: [any Dispatchable.Type] {
        switch self {
        case .first: [FirstBin.Filled.self]
        case .second: [SecondBin.Filled.self, SecondBin.Emptied.self]
        }
    }

    /// Registers the forms of earlier editions that this edition reads.
    func migrating(_ server: Server<Workshop>) -> Server<Workshop> {
        guard self == .second else { return server }
        return server.migrations(
            .action("bins/{id}/Filled", from: FirstBin.Filled.self) { old, _ in
                SecondBin.Filled(times: old.by)
            }
        )
    }

    /// True if the first edition cannot read a record that this edition writes.
    func isNew(_ type: String) -> Bool {
        self == .second && (type.hasSuffix("/Filled") || type.hasSuffix("/Emptied"))
    }
}

/// The actions of bins in the first edition.
enum FirstBin {
    struct Filled: StateUpdater {
        let by: Int

        func updateState(_ state: inout Bin.State) { state.count += by }
    }
}

/// The actions of bins in the second edition: an action under an unchanged name, and a new action.
enum SecondBin {
    struct Filled: StateUpdater {
        let times: Int

        func updateState(_ state: inout Bin.State) { state.count += times }
    }

    struct Emptied: StateUpdater {
        func updateState(_ state: inout Bin.State) { state.count = 0 }
    }
}
