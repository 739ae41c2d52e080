/// What a client calls a request by, so that it can send it again and not apply it twice.
public struct IdempotencyKey: Hashable, Sendable {
    /// The principal whose key it is; `nil` for anonymous clients.
    public let principal: String?
    /// The key itself, 1 to 255 characters.
    public let key: String

    /// Makes a key.
    public init(principal: String? = nil, key: String) {
        self.principal = principal
        self.key = key
    }

    /// Whether both have the same bytes.
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

/// What is remembered of an applied action or array that came with an idempotency key.
public struct KeptOutcome: Sendable, Equatable {
    /// The request's key.
    public let key: IdempotencyKey
    /// Identifies the request's body: the same bytes give the same fingerprint.
    public let fingerprint: [UInt8]
    /// The version of the first action.
    public let first: UInt64
    /// The version of the last action.
    public let last: UInt64
    /// Whether any of them changed the state.
    public let changed: Bool
    /// When it was applied, in nanoseconds since 1970.
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
        self.first = first
        self.last = last
        self.changed = changed
        self.time = time
    }
}
