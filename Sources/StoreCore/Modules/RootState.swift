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
/// It has nothing but slices, each under its module's name and in the order of ``modules``; that is
/// checked when a store begins. Its forms on the wire come from the modules.
public protocol RootState: Codable, Equatable, Sendable {
    /// The modules that make the state.
    typealias Modules = [Mount<Self>]

    /// The state before any action.
    init()

    /// Which module has which slice, in the order in which they stand in the state.
    static var modules: Modules { get }
}

extension RootState {
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: SliceName.self)
        for mount in Self.modules {
            try mount.slice.decode(&self, from: container, under: SliceName(mount.name))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: SliceName.self)
        for mount in Self.modules {
            try mount.slice.encode(self, to: &container, under: SliceName(mount.name))
        }
    }

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
