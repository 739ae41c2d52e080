/// An applied action as the journal keeps it.
public struct Record: Sendable, Equatable {
    /// The version that the action made.
    public let version: UInt64
    /// When the Core stamped it, in nanoseconds since 1970.
    public let time: Int64
    /// The action's wire name.
    public let type: String
    /// The action's fields, as JSON.
    public let payload: [UInt8]
    /// What the client sent along for the journal and for middleware, as JSON.
    public let meta: [UInt8]?
    /// The principal that dispatched it; `nil` if none did. A journal keeps its
    /// ``ActionPrincipal/description``.
    public let principal: ActionPrincipal?
    /// The request that dispatched it.
    public let requestID: String?
    /// Whether the state after it differs from the state before.
    public let changed: Bool
    /// The version of the action whose effect dispatched it; `nil` where a client did.
    public let cause: UInt64?
    /// The place in the program that dispatched it, `Home/HomeModule.swift:42`; `nil` for a
    /// client's.
    public let origin: String?
    /// The session of the client that led to it; `nil` where none did, which stands for the
    /// session of all clients without one.
    public let session: String?
    /// The program that wrote it, by the number that ``Journal/register(_:)`` gave; 0 where that is
    /// not known, as in records of older journals.
    public let program: UInt32

    /// The most bytes of a payload, of a meta and of a state, whichever journal keeps them: 512
    /// MiB.
    public static let fieldBytesMax = 512 << 20

    /// Makes a record.
    public init(
        version: UInt64,
        time: Int64,
        type: String,
        payload: [UInt8],
        meta: [UInt8]? = nil,
        principal: ActionPrincipal? = nil,
        requestID: String? = nil,
        changed: Bool,
        cause: UInt64? = nil,
        origin: String? = nil,
        session: String? = nil,
        program: UInt32 = 0
    ) {
        self.version = version
        self.time = time
        self.type = type
        self.payload = payload
        self.meta = meta
        self.principal = principal
        self.requestID = requestID
        self.changed = changed
        self.cause = cause
        self.origin = origin
        self.session = session
        self.program = program
    }

    /// What stands in the place of a record that is forgotten before its batch is.
    static func forgotten(_ version: UInt64) -> Record {
        Record(version: version, time: 0, type: "", payload: [], changed: false)
    }

    /// What its payload and meta take, in bytes.
    public var bytes: Int { payload.count + (meta?.count ?? 0) }

    /// What it takes in memory: its texts, its payload and meta, and itself. Small allocations are
    /// rounded up by the system, which is not counted.
    public var memoryBytes: Int {
        let texts =
            type.utf8.count + (principal?.description.utf8.count ?? 0)
            + (requestID?.utf8.count ?? 0) + (origin?.utf8.count ?? 0) + (session?.utf8.count ?? 0)
        return MemoryLayout<Record>.stride + bytes + texts
    }
}
