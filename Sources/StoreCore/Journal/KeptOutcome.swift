/// The name that a client gives to a request. The client can then send the request again, and the
/// store applies the request only once.
public struct IdempotencyKey: Hashable, Sendable {
    /// The principal that owns the key; `nil` for anonymous clients.
    public let principal: String?
    /// The text of the key, 1 to 255 characters.
    public let key: String

    /// Makes a key.
    public init(principal: String? = nil, key: String) {
        self.principal = principal
        self.key = key
    }

    /// True if both keys have the same bytes.
    public static func == (a: IdempotencyKey, b: IdempotencyKey) -> Bool {
        a.key.isSame(as: b.key)
            && a.principal.map { ExactText($0) } == b.principal.map { ExactText($0) }
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(key))
        hasher.combine(principal.map { ExactText($0) })
    }
}

/// The stored outcome of a request with an idempotency key. The request had one action or an array
/// of actions, and all were applied.
public struct KeptOutcome: Sendable, Equatable {
    /// The key of the request.
    public let key: IdempotencyKey
    /// The fingerprint of the request's body: the same bytes give the same fingerprint.
    public let fingerprint: [UInt8]
    /// The version of the first action.
    public let firstVersion: UInt64
    /// The version of the last action.
    public let lastVersion: UInt64
    /// True if any of the actions made a change that the client sees.
    public let changed: Bool
    /// The time at which the actions were applied, in nanoseconds since 1970.
    public let time: Int64

    /// Makes an outcome.
    public init(
        key: IdempotencyKey,
        fingerprint: [UInt8],
        first: UInt64,
        last: UInt64,
        changed: Bool,
        time: Int64
    ) {
        self.key = key
        self.fingerprint = fingerprint
        self.firstVersion = first
        self.lastVersion = last
        self.changed = changed
        self.time = time
    }
}
