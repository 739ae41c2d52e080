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
/// It has nothing but slices: a stored member that is no module's slice, or an `encode(to:)` of its
/// own that writes other names than the modules', is refused when a store begins, by
/// ``ModuleError/foreignMember(found:modules:)``. Its forms on the wire come from the modules, each
/// slice under its module's name and in the order of ``modules``.
public protocol RootState: Codable, Equatable, Sendable {
    /// The modules that make the state.
    typealias Modules = [Mount<Self>]
    /// The projections of the state.
    typealias Views = [any ParameterizedViewModel<Self>.Type]

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
}

extension RootState {
    /// None.
    public static var views: Views { [] }

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
