/// The state of a store, composed of the slices of its modules.
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
/// The stored members of a root state are slices and fields (`Mount.field(_:_:)`). A store does not
/// start if there is another stored member, or if a custom `encode(to:)` writes other names. The
/// error is ``ModuleError/foreignMember(found:modules:)``. On the wire, each slice has the name of
/// its module, and the slices have the order of ``modules``.
///
/// Like a module, the whole state may have ``dispatchables``, a ``reducer`` and ``presenters``.
public protocol RootState: ModuleState {
    /// The modules that make the state.
    typealias Modules = [Mount<Self>]
    /// The projections of the state.
    typealias Views = [any ParameterizedViewModel<Self>.Type]
    /// Actions that change the whole state.
    typealias Dispatchables = [any Dispatchable.Type]
    /// Presenters of the whole state.
    typealias Presenters = [any Presenter<Self>]

    /// The state before any action.
    init()

    /// The modules with their slices, in the order that the slices have in the state.
    static var modules: Modules { get }

    /// The projections of the state that a server shows.
    ///
    /// ```swift
    /// static let views: Views = [ListViewModel.self]
    /// ```
    static var views: Views { get }

    /// The types of actions that change the whole state. Each type is a `StateUpdater` whose
    /// `State` is the root state. An action may change several slices, in one version.
    ///
    /// ```swift
    /// static let dispatchables: Dispatchables = [Checkout.self]
    /// ```
    ///
    /// On the wire, an action has the name of its type. The store compares the state before and
    /// after an action to find its changes. The store encodes only the changes, and sends each
    /// change only to its readers.
    ///
    /// In the reducer of an action of the whole state, ``PerSession/value`` is the value of the
    /// session that the action comes from. Clients of all sessions may read the record of the
    /// action, unless their role sees only some members. If the action changed a slice of a
    /// session, only that session sees the change.
    static var dispatchables: Dispatchables { get }

    /// The reducer that is called for each action, after the reducer of the action's module. Both
    /// reducers together make one version. `nil` by default.
    static var reducer: RootReducer<Self>? { get }

    /// A reducer like ``reducer``, which also gets the context of the action. If the root state has
    /// both, ``reducer`` is called first. `nil` by default.
    ///
    /// ```swift
    /// static let contextualReducer: ContextualRootReducer<AppState>? = { state, action, context in
    ///     if action is Checkout { state.orders.lastTime = context.time }
    /// }
    /// ```
    static var contextualReducer: ContextualRootReducer<Self>? { get }

    /// The presenters of the whole state. Each presenter is called once for each action that
    /// changed the state. The presenter gets the states before and after the action, with the
    /// slices of the action's session.
    ///
    /// ```swift
    /// static let presenters: Presenters = [ReceiptPresenter()]
    /// ```
    static var presenters: Presenters { get }
}

/// A reducer of the whole state, called after the reducer of each action's module.
///
/// ```swift
/// static let reducer: RootReducer<AppState>? = { state, action in
///     if action is Checkout { state.orders.count += 1 }
/// }
/// ```
///
/// The reducer is pure, as all reducers are. If the reducer throws, the action is refused, and the
/// changes of the module's own reducer are dropped. The reducer gets all actions of modules, of the
/// root state and of the server's list of actions. Use cases and notifications do not call the
/// reducer. The reducer gets an action of an instance as an ``AddressedAction``.
///
/// Cost: after each action, the store compares all slices to find the changes. The comparison skips
/// slices that are identical in memory.
public typealias RootReducer<Root> = @Sendable (inout Root, any Action) throws -> Void

/// A ``RootReducer`` that also gets the context of the action. The instance in the context is the
/// instance of an ``AddressedAction``.
public typealias ContextualRootReducer<Root> =
    @Sendable (inout Root, any Action, _ context: ReducerContext) throws -> Void

extension RootState {
    /// No views.
    public static var views: Views { [] }

    /// No actions.
    public static var dispatchables: Dispatchables { [] }

    /// No reducer.
    public static var reducer: RootReducer<Self>? { nil }

    /// No reducer.
    public static var contextualReducer: ContextualRootReducer<Self>? { nil }

    /// No presenters.
    public static var presenters: Presenters { [] }

    /// Reads the slices of all modules; an absent slice may be left out or null.
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: SliceName.self)
        for mount in Self.modules {
            try mount.slicePlace.decode(&self, from: container, under: SliceName(mount.name))
        }
    }

    /// Reads the slices that the decoder has. All other slices have their values from before the
    /// first action.
    package init(readingSlicesOf decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: SliceName.self)
        for mount in Self.modules where container.contains(SliceName(mount.name)) {
            try mount.slicePlace.decode(&self, from: container, under: SliceName(mount.name))
        }
    }

    /// Writes the slices of all modules in their order; an absent slice is null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: SliceName.self)
        for mount in Self.modules {
            try mount.slicePlace.encode(self, to: &container, under: SliceName(mount.name))
        }
    }

    /// Returns true if all slices are equal.
    public static func == (a: Self, b: Self) -> Bool {
        modules.allSatisfy { $0.slicePlace.isEqual(a, b) }
    }
}

/// The name of a slice, as a coding key.
package struct SliceName: CodingKey {
    package let stringValue: String

    package init(_ name: String) { stringValue = name }
    package init(stringValue: String) { self.stringValue = stringValue }

    package var intValue: Int? { nil }
    package init?(intValue: Int) { nil }
}

/// A root state in the form that a client gets. Schemas are made from this type. In place of the
/// slices of all sessions, the value has only the slices of the client's session.
package struct VisibleRoot<Root: RootState>: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: SliceName.self)
        for mount in Root.modules {
            try mount.slicePlace.readForSchema(from: container, under: SliceName(mount.name))
        }
    }
}

extension RootState {
    /// The names of the members whose slices belong to users.
    package static var userOwnedMemberNames: [String] {
        modules.filter { $0.slicePlace.ownership == .principal }.map(\.name)
    }
}
