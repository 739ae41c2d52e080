/// The state of a store, put together from the slices of its modules.
///
/// ```swift
/// struct AppState: RootState {
///     var counter = Counter.State()
///     var home: Home.State?
///
///     static let modules: Modules = [
///         Counter().at(\.counter),
///         Home().at(\.home),
///     ]
/// }
/// ```
///
/// It has nothing but slices and fields (`Mount.field(_:_:)`): a stored member that is neither,
/// or an `encode(to:)` of its own that writes other names than theirs, is refused when a store
/// begins, by ``ModuleError/foreignMember(found:modules:)``. Its forms on the wire come from the
/// modules, each slice under its module's name and in the order of ``modules``.
///
/// What a module may have, the whole state may have: ``dispatchables``, a ``reducer``,
/// ``presenters``.
public protocol RootState: ModuleState {
    /// The modules that make the state.
    typealias Modules = [Mount<Self>]
    /// The projections of the state.
    typealias Views = [any ParameterizedViewModel<Self>.Type]
    /// Actions that change the whole state.
    typealias Dispatchables = [any Dispatchable.Type]
    /// What reacts to changes of the whole state.
    typealias Presenters = [any Presenter<Self>]

    /// The state before any action.
    init()

    /// Which module has which slice, in the order in which they stand in the state.
    static var modules: Modules { get }

    /// The projections of the state that a server shows.
    ///
    /// ```swift
    /// static let views: Views = [ListViewModel.self]
    /// ```
    static var views: Views { get }

    /// Actions with types of their own that change the whole state: each a `StateUpdater` whose
    /// `State` is the root. One action may change several slices, in one version.
    ///
    /// ```swift
    /// static let dispatchables: Dispatchables = [Checkout.self]
    /// ```
    ///
    /// On the wire they go by their type's name. What one changes is found by comparing the state
    /// before and after it, so only that is encoded, and only its readers get it. In it,
    /// ``PerSession/value`` is that of the session whose action it is. The record of the action is
    /// read by all, as that of an action of a shared module; what it changed in a session's slice
    /// is shown to that session alone.
    static var dispatchables: Dispatchables { get }

    /// Called behind the module's own reducer for each action, and in the same version; none by
    /// default.
    static var reducer: RootReducer<Self>? { get }

    /// What reacts to changes of the whole state: each is called once for each action that changed
    /// something, with the state before and after it as the session of the action sees them.
    ///
    /// ```swift
    /// static let presenters: Presenters = [ReceiptPresenter()]
    /// ```
    static var presenters: Presenters { get }
}

/// A reducer of the whole state, which is called behind the reducer of each action's module.
///
/// ```swift
/// static let reducer: RootReducer<AppState>? = { state, action in
///     if action is Checkout { state.orders.count += 1 }
/// }
/// ```
///
/// Pure, as all reducers are. What it throws refuses the action: then the module's own reducer has
/// changed nothing either. It is called with all actions of modules, of the root state and of the
/// server's list, and with none of what clients ask for besides actions. An action of an instance
/// is an ``AddressedAction``.
///
/// Cost: what changed is found by a comparison of all slices, by reference first.
public typealias RootReducer<Root> = @Sendable (inout Root, any Action) throws -> Void

extension RootState {
    /// None.
    public static var views: Views { [] }

    /// None.
    public static var dispatchables: Dispatchables { [] }

    /// None.
    public static var reducer: RootReducer<Self>? { nil }

    /// None.
    public static var presenters: Presenters { [] }

    /// Reads the slices of all modules; an absent one may be left out or null.
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: SliceName.self)
        for mount in Self.modules {
            try mount.slice.decode(&self, from: container, under: SliceName(mount.name))
        }
    }

    /// Reads the slices that are there, and leaves the others as they are before any action.
    package init(readingSlicesOf decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: SliceName.self)
        for mount in Self.modules where container.contains(SliceName(mount.name)) {
            try mount.slice.decode(&self, from: container, under: SliceName(mount.name))
        }
    }

    /// Writes the slices of all modules in their order; an absent one is null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: SliceName.self)
        for mount in Self.modules {
            try mount.slice.encode(self, to: &container, under: SliceName(mount.name))
        }
    }

    /// Whether all slices are equal.
    public static func == (a: Self, b: Self) -> Bool {
        modules.allSatisfy { $0.slice.isEqual(a, b) }
    }
}

/// A slice's name as the key of a member.
package struct SliceName: CodingKey {
    package let stringValue: String

    package init(_ name: String) { stringValue = name }
    package init(stringValue: String) { self.stringValue = stringValue }

    package var intValue: Int? { nil }
    package init?(intValue: Int) { nil }
}
