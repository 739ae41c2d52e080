/// The services outside the store that effects use, each under its key. A test replaces every
/// service that its effects use.
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
    fileprivate let isLive: Bool
    /// The keys whose values are being derived now, the outermost first.
    private var keysBeingDerived: [ObjectIdentifier] = []

    /// The live values of all keys.
    public static let live = Dependencies(isLive: true)

    /// Dependencies without values: the use of a key that was not set throws an error with the
    /// key's name.
    public static let unprepared = Dependencies(isLive: false)

    private init(isLive: Bool) { self.isLive = isLive }

    /// Returns the value of a key: the value that was set, or a derived value. A derived value is
    /// made at each access, in tests too, from the values of other keys.
    ///
    /// - Throws: ``UnpreparedDependency`` for a ``DependencyKey`` that a test has not set,
    ///   ``CircularDependency``, and the error of the derivation.
    public subscript<Key: DerivedDependencyKey>(key: Key.Type) -> Key.Value {
        get throws {
            let id = ObjectIdentifier(key)
            if let value = values[id] as? Key.Value { return value }
            guard !keysBeingDerived.contains(id) else { throw CircularDependency(key: "\(key)") }
            var inner = self
            inner.keysBeingDerived.append(id)
            return try Key.derive(from: inner)
        }
    }

    func has<Key: DerivedDependencyKey>(_ key: Key.Type) -> Bool {
        values[ObjectIdentifier(key)] != nil
    }

    /// Replaces the value of a key.
    public mutating func set<Key: DerivedDependencyKey>(_ key: Key.Type, to value: Key.Value) {
        values[ObjectIdentifier(key)] = value
    }

    /// Returns a copy with another value for one key.
    public func setting<Key: DerivedDependencyKey>(
        _ key: Key.Type,
        to value: Key.Value
    ) -> Dependencies {
        var copy = self
        copy.set(key, to: value)
        return copy
    }
}

/// The key of a dependency that is derived from other dependencies. Any other dependency has a
/// ``DependencyKey``.
///
/// ```swift
/// enum MoviesKey: DerivedDependencyKey {
///     static func derive(from dependencies: Dependencies) throws -> any MovieService {
///         HTTPMovieService(client: try dependencies.http, clock: try dependencies.clock)
///     }
/// }
/// ```
public protocol DerivedDependencyKey {
    /// The type of the dependency.
    associatedtype Value: Sendable
    /// Makes the value at each access. Set a costly value once instead, for instance while the
    /// server prepares.
    static func derive(from dependencies: Dependencies) throws -> Value
}

/// The key of a dependency, with the dependency's value outside tests.
public protocol DependencyKey: DerivedDependencyKey {
    /// The type of the dependency.
    associatedtype Value
    /// The value that a server uses.
    static var live: Value { get }
}

extension DependencyKey {
    /// Returns the live value.
    ///
    /// - Throws: ``UnpreparedDependency`` in a test.
    public static func derive(from dependencies: Dependencies) throws -> Value {
        guard dependencies.isLive else { throw UnpreparedDependency(key: "\(Self.self)") }
        return live
    }
}

/// The error for a key whose value is derived from the value of the same key.
public struct CircularDependency: Error, Equatable, CustomStringConvertible {
    /// The name of the key.
    public let key: String

    /// The text of the error, with the name of the key.
    public var description: String { "the dependency \(key) is derived from itself" }
}

/// The error for the use of a dependency that a test has not set.
public struct UnpreparedDependency: Error, Equatable, CustomStringConvertible {
    /// The name of the key.
    public let key: String

    /// Makes the error for the type name of a key.
    public init(key: String) { self.key = key }

    /// The text of the error, with the call that sets the dependency.
    public var description: String {
        "the dependency \(key) was used but not prepared; "
            + "set it: dependencies.set(\(key).self, to: …)"
    }
}

/// The key of the clock on which effects pause.
public enum ClockKey: DependencyKey {
    /// The machine's monotonic clock.
    public static let live: any Clock<Duration> = ContinuousClock()
}

/// The key of the clock for the time of day.
public enum WallClockKey: DependencyKey {
    /// The machine's time of day.
    public static let live: any WallClock = SystemClock()
}

/// The key of the source of random numbers. Each call of the source returns 64 random bits.
public enum RandomKey: DependencyKey {
    /// The system's generator.
    public static let live: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
}

/// The key of the generator of globally unique identifiers.
public enum UUIDKey: DependencyKey {
    /// The generator of random identifiers (RFC 9562, version 4), in lowercase letters.
    public static let live: @Sendable () -> String = {
        uuid(.random(in: .min ... .max), .random(in: .min ... .max))
    }

    private static func uuid(_ high: UInt64, _ low: UInt64) -> String {
        let words = [high & ~0xF000 | 0x4000, low & ~(3 << 62) | (2 << 62)]
        var text = ""
        for word in words {
            let digits = String(word, radix: 16)
            text += String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }
        for place in [20, 16, 12, 8] {
            text.insert("-", at: text.index(text.startIndex, offsetBy: place))
        }
        return text
    }
}

extension Dependencies {
    /// The clock on which effects pause. A test that has set no clock gets an error.
    public var clock: any Clock<Duration> { get throws { try self[ClockKey.self] } }

    /// The time of day, in nanoseconds since 1970.
    public var now: Int64 { get throws { try self[WallClockKey.self].now() } }

    /// Returns 64 random bits.
    public func random() throws -> UInt64 { try self[RandomKey.self]() }

    /// Returns a new identifier.
    public func uuid() throws -> String { try self[UUIDKey.self]() }
}
