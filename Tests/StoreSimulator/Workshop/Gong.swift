import StoreCore

/// A module whose actions set timers.
struct Gong: EffectfulModule {
    struct State: ModuleState {
        var rung: [String] = []
        var ticks = 0
    }

    enum Action: ModuleAction {
        case set(note: String, id: String, seconds: Int)
        case repeated(note: String, id: String, seconds: Int, missed: MissedTimer)
        case silenced(id: String)
    }

    enum Internal: ModuleAction {
        case rang(note: String)
        case ticked
    }

    /// The most notes that are kept.
    static let rungMax = 8

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .set(let note, let id, let seconds):
            .after(.seconds(seconds), id: id, Internal.rang(note: note))
        case .repeated(_, let id, let seconds, let missed):
            .every(.seconds(seconds), id: id, Internal.ticked, missed: missed)
        case .silenced(let id): .cancel(id: id)
        }
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .rang(let note): state.rung = (state.rung + [note]).suffix(Self.rungMax)
        case .ticked: state.ticks += 1
        }
        return .none
    }
}
