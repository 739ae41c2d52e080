/// An applied action as the journal stores it.
public struct Record: Sendable, Equatable {
    /// The version that the action made.
    public let version: UInt64
    /// The time at which the Core took the action, in nanoseconds since 1970.
    public let time: Int64
    /// The action's wire name.
    public let type: String
    /// The action's fields, as JSON.
    public let payload: [UInt8]
    /// The `meta` that the client sent with the action for the journal and for middleware, as JSON.
    public let meta: [UInt8]?
    /// The principal that dispatched the action; `nil` if no principal did. A journal stores the
    /// principal's ``ActionPrincipal/description``.
    public let principal: ActionPrincipal?
    /// The id of the request that dispatched the action; `nil` if no request did.
    public let requestID: String?
    /// True if the state after the action differs from the state before.
    public let changed: Bool
    /// The version of the action that led to this action; `nil` if no action did.
    public let cause: UInt64?
    /// The dispatcher of the action: a line of the program's source, such as
    /// `Home/HomeModule.swift:42`, or a client. `nil` if the origin is not recorded.
    public let origin: String?
    /// The session of the client that led to the action. `nil` stands for all clients without a
    /// session, which count as one session.
    public let session: String?
    /// The number of the program that wrote the record, from ``Journal/register(_:)``. 0 if the
    /// program is unknown, as in records of older journals.
    public let program: UInt32
    /// True if personal members of the action can no longer be read, because their owner was
    /// forgotten. The payload then has `null` in the place of these members.
    public let isForgotten: Bool

    /// The maximum size of a payload, a meta or a state in any journal, in bytes: 512 MiB.
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
        program: UInt32 = 0,
        isForgotten: Bool = false
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
        self.isForgotten = isForgotten
    }

    /// Returns the placeholder for a dropped record, whose batch still has later records.
    static func placeholder(forVersion version: UInt64) -> Record {
        Record(version: version, time: 0, type: "", payload: [], changed: false)
    }

    /// The number of bytes of the payload and the meta.
    public var byteCount: Int { payload.count + (meta?.count ?? 0) }

    /// The number of bytes in memory: the texts, the payload, the meta, and the record itself. The
    /// bytes by which the system rounds up small allocations are not counted.
    public var memoryBytes: Int {
        let texts =
            type.utf8.count + (principal?.description.utf8.count ?? 0)
            + (requestID?.utf8.count ?? 0) + (origin?.utf8.count ?? 0) + (session?.utf8.count ?? 0)
        return MemoryLayout<Record>.stride + byteCount + texts
    }
}

extension Record {
    /// Calls `body` with the fields that a replay needs.
    package func withView<Value, Failure: Error>(
        _ body: (RecordView) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var (type, principal, session) = (type, principal?.description, session)
        return try type.withUTF8 { type in
            payload.withUnsafeBytes { payload in
                principal.withBytes { principal in
                    session.withBytes { session in
                        let view = RecordView(
                            version: version,
                            time: time,
                            type: UnsafeRawBufferPointer(type),
                            payload: payload,
                            principal: principal,
                            cause: cause,
                            session: session,
                            programNumber: program
                        )
                        return Result { () throws(Failure) in try body(view) }
                    }
                }
            }
        }.get()
    }
}

extension Optional<String> {
    /// Calls `body` with the bytes of the text; with `nil` if there is no text.
    fileprivate mutating func withBytes<Value>(_ body: (UnsafeRawBufferPointer?) -> Value) -> Value
    {
        guard var text = self else { return body(nil) }
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

/// The fields of a record that a replay needs, as pointers to the stored bytes, without a copy.
package struct RecordView {
    package let version: UInt64
    /// The time at which the Core took the action, in nanoseconds since 1970.
    package let time: Int64
    package let type: UnsafeRawBufferPointer
    package let payload: UnsafeRawBufferPointer
    /// The principal that dispatched the action; `nil` if no principal did.
    package let principal: UnsafeRawBufferPointer?
    /// The version of the action that led to this action; `nil` if no action did.
    package let cause: UInt64?
    /// The session that dispatched the action; `nil` if no session did.
    package let session: UnsafeRawBufferPointer?
    /// The number of the program that wrote the record; 0 if the program is unknown.
    package let programNumber: UInt32

    package init(
        version: UInt64,
        time: Int64 = 0,
        type: UnsafeRawBufferPointer,
        payload: UnsafeRawBufferPointer,
        principal: UnsafeRawBufferPointer? = nil,
        cause: UInt64? = nil,
        session: UnsafeRawBufferPointer? = nil,
        programNumber: UInt32 = 0
    ) {
        self.version = version
        self.time = time
        self.principal = principal
        self.cause = cause
        self.type = type
        self.payload = payload
        self.session = session
        self.programNumber = programNumber
    }
}

/// The description of a program for ``Journal/register(_:)``: the wire names of the program's
/// actions, and the form of each action.
public struct ProgramDescription: Sendable, Equatable {
    /// The id of the forms: their SHA-256 in hexadecimal digits.
    public let digest: String
    /// The wire names and the forms of the actions, as JSON.
    public let forms: [UInt8]

    /// Describes a program.
    public init(digest: String, forms: [UInt8]) {
        self.digest = digest
        self.forms = forms
    }
}

/// A program in a journal, with the number that the program's records have.
public struct RegisteredProgram: Sendable, Equatable {
    /// The number in ``Record/program``; at least 1.
    public let number: UInt32
    /// The program, with the names and forms of its actions.
    public let program: ProgramDescription

    /// The maximum number of programs in a journal: 256. A further registration removes the program
    /// with the oldest last registration. The records of that program stay.
    public static let countMax = 256

    /// Describes a stored program.
    public init(number: UInt32, program: ProgramDescription) {
        self.number = number
        self.program = program
    }
}

/// The state of one version. A replay makes later states from the snapshot, without the earlier
/// actions.
public struct StateSnapshot: Sendable, Equatable {
    /// The version of the state.
    public let version: UInt64
    /// The time of the snapshot, in nanoseconds since 1970.
    public let time: Int64
    /// The state, as JSON.
    public let state: [UInt8]
    /// The id of the form of the state's type. A program reads only a snapshot whose form is the
    /// form of the program's own state.
    public let formID: String

    /// Makes a snapshot.
    public init(version: UInt64, time: Int64, state: [UInt8], form: String) {
        self.version = version
        self.time = time
        self.state = state
        self.formID = form
    }
}
