import StoreCore
import StorePatterns

/// A root state with every kind of member: fixed slices, started slices, instances, shared values,
/// kept effects, timers, and sessions and users with slices of their own.
struct Workshop: RootState {
    var shelf = Shelf.State()
    var plate: Plate.State?
    var bins = Instances<Bin.State>()
    var desk = Desk.State()
    var safe = Safe.State()
    var jobs = Jobs.State()
    var effects = PendingEffects.State()
    var sessions = Sessions.State()
    var presence = Presence.State()
    var draft = PerSession(Draft.State())
    var pins = PerSession<Instances<Pin.State>>()
    var sign = "open"
    var tint = PerSession("grey")
    var bench: Bench.State?
    var stools = PerSession<Stool.State?>()
    var purse = PerPrincipal(Purse.State())
    var users = PerPrincipal(Users.State())
    var gong = Gong.State()
    var schedule = Schedule.State()

    static let modules: Modules = [
        Shelf().at(\.shelf).presented(by: ShelfPresenter()).presented(by: ShelfWatcher()),
        Plate().at(\.plate).lifecycle(.everybody).reading(\Plate.State.label, of: Shelf.self)
            .presented(
                by: PlatePresenter()
            ),
        Bin().at(\.bins).lifecycle(.everybody),
        Desk().at(\.desk).reading(\Desk.State.title, of: Plate.self).presented(by: DeskPresenter()),
        Safe().at(\.safe),
        Jobs().at(\.jobs),
        PendingEffects().at(\.effects),
        Sessions().at(\.sessions).presented(by: SessionsPresenter()),
        Draft().at(\.draft).reading(\Draft.State.label, of: Shelf.self).presented(
            by: DraftPresenter()
        ),
        Pin().at(\.pins).reading(\Pin.State.draft, of: Draft.self).presented(by: PinPresenter()),
        .field("sign", \.sign),
        .field("tint", \.tint),
        Bench().started(with: .init(wood: "oak")).at(\.bench).lifecycle(.everybody),
        Stool().started.at(\.stools).lifecycle(.program),
        Presence().at(\.presence),
        Purse().at(\.purse),
        Users().at(\.users),
        Gong().at(\.gong),
        Schedule().at(\.schedule),
    ]

    /// True if the whole state has a reducer, which changes nothing. The store then compares all
    /// slices to find the changes of each action.
    @TaskLocal static var hasReducer = false

    static var reducer: RootReducer<Workshop>? { hasReducer ? { @Sendable _, _ in } : nil }

    static let dispatchables: Dispatchables = [Tidied.self]
    static let presenters: Presenters = [WorkshopPresenter()]

    static let views: Views = [BoardView.self, BinView.self, NoteView.self]
}
