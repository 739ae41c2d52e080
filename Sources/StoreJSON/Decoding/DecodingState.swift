typealias DecodingStatePointer = UnsafeMutablePointer<DecodingState>

/// The state that a decoder and its containers share. Containers hold a pointer to it and plain
/// numbers, so that a copy costs no reference counting.
struct DecodingState: ~Copyable {
    private(set) var tape: JSONTape
    private(set) var source: UnsafeMutablePointer<UInt8>
    private(set) var entries: UnsafeMutablePointer<JSONTape.Entry>
    /// The key types. The place of a container is the entry of its object.
    var keyTypes = KeyTypes<Int>()
    var plans: TypePlans<any CollectionDecodable.Type>
    private(set) var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// The number of calls of `init(from:)` that are running.
    fileprivate(set) var calls = 0
    /// The maximum of ``calls``. After the first excess the maximum is 0, which stops a type that
    /// tries itself again and again.
    fileprivate(set) var callsMax = JSONLimits.callsMax
    let trail = DecodingTrail()
    /// The name of a case whose payload alone is in the document; ``caseIndex`` is the entry of the
    /// payload.
    private(set) var caseName = ""
    private(set) var caseIndex = 0
    /// The tape for documents that the decoder parses itself.
    let own = JSONTape()

    /// The place of an object `{"<caseName>":<payload>}` that is not in the document.
    static let enclosure = -2

    init(_ adapters: AdapterList) {
        plans = TypePlans(adapters)
        tape = own
        source = own.source
        entries = own.entries
    }

    mutating func begin(_ tape: JSONTape, _ userInfo: [CodingUserInfoKey: any Sendable]) {
        if self.tape !== tape { self.tape = tape }
        source = tape.source
        entries = tape.entries
        calls = 0
        callsMax = JSONLimits.callsMax
        if !userInfo.isEmpty || !self.userInfo.isEmpty { self.userInfo = userInfo }
    }

    /// Sets the payload and the name of a case. ``enclosure`` stands for the object around them.
    mutating func enclose(_ index: Int, as name: String) {
        caseIndex = index
        caseName = name
    }

    /// Releases the document, and the memory of an unusually large document.
    mutating func end() {
        own.shrink(below: AdapterSet.keptBytesMax)
        if tape !== own { tape = own }
        trail.restart()
    }

    /// Returns the first byte of a value, which determines its kind.
    @inline(__always)
    func first(_ index: Int) -> UInt8 { source[Int(entries[index].start)] }

    @inline(__always)
    func isNull(_ index: Int) -> Bool { first(index) == UInt8(ascii: "n") }

    @inline(__always)
    func requireObject(_ index: Int) throws {
        guard first(index) == UInt8(ascii: "{") else { throw mismatch(index, "an object") }
    }

    @inline(__always)
    func requireArray(_ index: Int) throws {
        guard first(index) == UInt8(ascii: "[") else { throw mismatch(index, "an array") }
    }

    /// Returns the entry of the value of the member `key` of an object, or -1 if it has none.
    ///
    /// The search begins at the end of the last search: members in the order of declaration are
    /// found at once.
    @inline(__always)
    func find(_ key: UnsafeBufferPointer<UInt8>, in object: Int) -> Int {
        guard object >= 0 else { return findCase(key) }
        let end = Int(entries[object].next)
        let cursor = Int(entries[object].detail)
        if cursor < end, tape.key(at: cursor, equals: key) {
            entries[object].detail = entries[cursor &+ 1].next
            return cursor &+ 1
        }
        return search(key, object, end)
    }

    @inline(never)
    private func search(_ key: UnsafeBufferPointer<UInt8>, _ object: Int, _ end: Int) -> Int {
        var at = object &+ 1
        while at < end {
            if tape.key(at: at, equals: key) {
                entries[object].detail = entries[at &+ 1].next
                return at &+ 1
            }
            at = Int(entries[at &+ 1].next)
        }
        return -1
    }

    @inline(never)
    private func findCase(_ key: UnsafeBufferPointer<UInt8>) -> Int {
        caseName.utf8.elementsEqual(key) ? caseIndex : -1
    }

    func string(_ index: Int) throws -> String {
        guard first(index) == UInt8(ascii: "\"") else { throw mismatch(index, "a string") }
        return tape.string(at: index)
    }

    /// True if Swift may treat a text with other bytes as equal to this string. Only three
    /// characters outside ASCII equal an ASCII character: U+212A, U+037E and U+1FEF.
    func mayHaveTwin(_ index: Int) -> Bool {
        guard first(index) == UInt8(ascii: "\"") else { return false }
        return tape.rawString(at: index).contains { byte in
            switch byte {
            case 0x80..., UInt8(ascii: "\\"), UInt8(ascii: "K"), UInt8(ascii: ";"),
                UInt8(ascii: "`"):
                true
            default: false
            }
        }
    }

    @inline(__always)
    func bool(_ index: Int) throws -> Bool {
        switch first(index) {
        case UInt8(ascii: "t"): return true
        case UInt8(ascii: "f"): return false
        default: throw mismatch(index, "true or false")
        }
    }
}

extension DecodingStatePointer {
    @inline(__always)
    func decode<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
        switch pointee.plans.plan(for: type) {
        case .plain: return try decodePlain(type, at: index)
        case .rawText: return try decodeRawText(type, at: index)
        case .collection(let collection): return try collection.decode(type, at: index, from: self)
        case .string: return unsafeBitCast(try pointee.string(index), to: T.self)
        case .int: return unsafeBitCast(try pointee.integer(index, as: Int.self), to: T.self)
        case .bool: return unsafeBitCast(try pointee.bool(index), to: T.self)
        case .double: return unsafeBitCast(try pointee.floating(index, as: Double.self), to: T.self)
        case .adapter(let place):
            return try decode(type, at: index, with: pointee.plans.adapters[place])
        }
    }

    @inline(__always)
    private func decodePlain<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
        try decode(type, from: DecodingPosition(state: self, index: index), at: index)
    }

    /// Decodes the case that ``DecodingState/enclose(_:as:)`` has set.
    func decodeCase<T: Decodable>(_ type: T.Type) throws -> T {
        try decode(type, from: CasePosition(state: self), at: pointee.caseIndex)
    }

    @inline(__always)
    private func decode<T: Decodable>(
        _ type: T.Type,
        from decoder: some Decoder,
        at index: Int
    ) throws -> T {
        let calls = pointee.calls
        guard calls < pointee.callsMax else { throw refuseDepth(at: index) }
        pointee.calls = calls &+ 1
        defer { pointee.calls = calls }
        return try T(from: decoder)
    }

    /// Decodes an enum with texts as raw values. The enum compares texts with Swift's equality, so
    /// a text with other bytes has to be refused here.
    @inline(never)
    private func decodeRawText<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
        let value: T
        do {
            value = try decodePlain(type, at: index)
        } catch let error as DecodingError {
            throw pointee.unlisted(type, at: index, error)
        }
        guard pointee.mayHaveTwin(index), let raw = value as? any RawRepresentable<String> else {
            return value
        }
        let text = pointee.tape.string(at: index)
        guard !raw.rawValue.isTwin(of: text) else {
            throw pointee.invalid(index, "\(T.self) has no value \(JSONText.quoted(text)).")
        }
        return value
    }

    @inline(never)
    private func refuseDepth(at index: Int) -> DecodingError {
        pointee.callsMax = 0
        return pointee.invalid(index, Self.tooDeep)
    }

    /// The message for a type whose `init(from:)` reads itself without end.
    static let tooDeep =
        "The type reads itself, or more than \(JSONLimits.callsMax) values within each other."

    @inline(never)
    private func decode<T>(
        _ type: T.Type,
        at index: Int,
        with adapter: JSONAdapter
    ) throws -> T {
        let node = JSONNode(tape: pointee.tape, index: index)
        let scalar: JSONAdapter.Scalar? =
            switch node.kind {
            case .string: .string(pointee.tape.string(at: index))
            case .number: .number(node.sourceText)
            default: nil
            }
        guard let scalar, let value = adapter.decode(scalar) as? T else {
            throw pointee.mismatch(index, adapter.expected)
        }
        return value
    }
}
