/// What effects need of the world, each by its key; replaced as a whole in tests.
///
/// ```swift
/// enum MoviesKey: DependencyKey {
///     static let live: any MovieService = HTTPMovieService()
/// }
///
/// extension Dependencies {
///     var movies: any MovieService {
///         get throws { try self[MoviesKey.self] }
///     }
/// }
/// ```
public struct Dependencies: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]
    private let isLive: Bool
    /// The keys whose values are being derived at this moment, from the outside in.
    private var deriving: [ObjectIdentifier] = []

    /// The live values of all keys.
    public static let live = Dependencies(isLive: true)

    /// None: whatever is used without having been set is an error that names it.
    public static let unprepared = Dependencies(isLive: false)

    private init(isLive: Bool) {
        self.isLive = isLive
    }

    /// The value of a key.
    ///
    /// - Throws: ``UnpreparedDependency`` where a test has not set it.
    public subscript<Key: DependencyKey>(key: Key.Type) -> Key.Value {
        get throws {
            if let value = values[ObjectIdentifier(key)] as? Key.Value { return value }
            guard isLive else { throw UnpreparedDependency(key: "\(key)") }
            return Key.live
        }
    }

    /// The value of a key that is derived from others, in a test as well: made anew each time, of
    /// what those are here.
    ///
    /// - Throws: what the derivation throws, ``UnpreparedDependency`` for what a test has not set,
    ///   and ``CircularDependency``.
    public subscript<Key: DerivedDependencyKey>(key: Key.Type) -> Key.Value {
        get throws {
            let id = ObjectIdentifier(key)
            if let value = values[id] as? Key.Value { return value }
            guard !deriving.contains(id) else { throw CircularDependency(key: "\(key)") }
            var inner = self
            inner.deriving.append(id)
            return try Key.derive(from: inner)
        }
    }

    /// Whether a value was set for a key that is derived from others.
    func has<Key: DerivedDependencyKey>(_ key: Key.Type) -> Bool {
        values[ObjectIdentifier(key)] != nil
    }

    /// Replaces the value of a key that is derived from others.
    public mutating func set<Key: DerivedDependencyKey>(_ key: Key.Type, to value: Key.Value) {
        values[ObjectIdentifier(key)] = value
    }

    /// The same, with another value for one key.
    public func setting<Key: DerivedDependencyKey>(
        _ key: Key.Type,
        to value: Key.Value
    ) -> Dependencies {
        var copy = self
        copy.set(key, to: value)
        return copy
    }

    /// Replaces the value of a key.
    public mutating func set<Key: DependencyKey>(_ key: Key.Type, to value: Key.Value) {
        values[ObjectIdentifier(key)] = value
    }

    /// The same, with another value for one key.
    public func setting<Key: DependencyKey>(_ key: Key.Type, to value: Key.Value) -> Dependencies {
        var copy = self
        copy.set(key, to: value)
        return copy
    }
}

/// Names a dependency, and has its value outside of tests.
public protocol DependencyKey {
    /// What it is.
    associatedtype Value: Sendable
    /// The value that a server uses.
    static var live: Value { get }
}

/// Names a dependency that is made of others.
///
/// ```swift
/// enum MoviesKey: DerivedDependencyKey {
///     static func derive(from dependencies: Dependencies) throws -> any MovieService {
///         HTTPMovieService(client: try dependencies.http, clock: try dependencies.clock)
///     }
/// }
/// ```
public protocol DerivedDependencyKey {
    /// What it is.
    associatedtype Value: Sendable
    /// Makes it; what is costly is better set once, for instance while the server prepares.
    static func derive(from dependencies: Dependencies) throws -> Value
}

/// The dependency graph has a cycle.
public struct CircularDependency: Error, Equatable, CustomStringConvertible {
    /// The key's name.
    public let key: String

    /// What is wrong.
    public var description: String { "the dependency \(key) is derived from itself" }
}

/// A dependency was used in a test that had not set it.
public struct UnpreparedDependency: Error, Equatable, CustomStringConvertible {
    /// The key's name.
    public let key: String

    /// Names the key's type.
    public init(key: String) {
        self.key = key
    }

    /// What was used, and what to do.
    public var description: String {
        "the dependency \(key) was used but not prepared; "
            + "set it: dependencies.set(\(key).self, to: …)"
    }
}
