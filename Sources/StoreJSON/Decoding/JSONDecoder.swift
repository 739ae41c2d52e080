/// A strict decoder of `Decodable` values from JSON. The decoder accepts only JSON by RFC 8259, in
/// UTF-8, without duplicate keys, within the ``limits``.
///
/// An integer has to fit its Swift type exactly; `1.0` and `1e2` are integers, too. A `Double` or a
/// `Float` is rounded to the nearest value. The decoder ignores members that a type does not read.
public struct JSONDecoder: Sendable {
    /// The limits of a document's size and depth.
    public var limits: JSONLimits
    /// Values that the `init(from:)` of types can read from their decoder.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    let adapters: AdapterSet

    /// Makes a decoder. The decoder uses `adapters` for the values of their types. A decoder with
    /// adapters has its own working memory, which takes time to build. So keep such a decoder and
    /// use it again.
    public init(limits: JSONLimits = JSONLimits(), adapters: [JSONAdapter] = []) {
        self.limits = limits
        self.adapters = .of(adapters)
    }

    /// Decodes a value from a whole document.
    ///
    /// Any thread may call this function.
    ///
    /// - Throws: ``JSONError`` with the offset and the pointer of the error.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws(JSONError) -> T {
        try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            try decode(type, from: UnsafeRawBufferPointer(buffer))
        }
    }

    /// Decodes a value from a whole document.
    ///
    /// - Throws: as ``decode(_:from:)``.
    public func decode<T: Decodable>(
        _ type: T.Type,
        from bytes: UnsafeRawBufferPointer
    ) throws(JSONError) -> T {
        let box = adapters.decodingStates.take()
        let state = box.pointer
        defer {
            state.pointee.end()
            adapters.decodingStates.giveBack(box)
        }
        let tape = state.pointee.ownTape
        try tape.parse(bytes, limits: limits)
        return try read(type, state, tape, at: 0)
    }

    /// Decodes the value at a node of a parsed document. If `node` is `nil`, decodes an empty
    /// object. In the pointers of errors, `pointerPrefix` replaces the path from the root to the
    /// node.
    ///
    /// If the type is an enum and the node is the payload of a case, `caseName` is the name of the
    /// case. The function then decodes the object `{"<name>":<payload>}`. If the enum has texts as
    /// raw values, the function decodes the name.
    ///
    /// - Throws: ``JSONError`` with the pointer of the error.
    package func decode<T: Decodable>(
        _ type: T.Type,
        at node: JSONNode?,
        asCase caseName: String? = nil,
        pointerPrefix: String
    ) throws(JSONError) -> T {
        let box = adapters.decodingStates.take()
        let state = box.pointer
        defer {
            state.pointee.end()
            adapters.decodingStates.giveBack(box)
        }
        let (tape, index) = node.map { ($0.tape, $0.index) } ?? (state.pointee.ownTape, 0)
        if node == nil { try tape.parse(EncodedCase.emptyObject, limits: .unbounded) }
        do {
            return try read(type, state, tape, at: index, asCase: caseName)
        } catch {
            let own = tape.pointer(to: index).utf8
            // A type's own code may throw an error with any pointer, even with a pointer outside
            // the value.
            let isWithin = error.pointer.utf8.starts(with: own)
            let rest = isWithin ? String(error.pointer.utf8.dropFirst(own.count)) : nil
            throw JSONError(
                code: error.code,
                offset: error.offset,
                pointer: pointerPrefix + (rest ?? ""),
                expected: error.expected,
                message: error.message,
                failure: error.underlyingError
            )
        }
    }

    private func read<T: Decodable>(
        _ type: T.Type,
        _ state: DecodingStatePointer,
        _ tape: JSONTape,
        at index: Int,
        asCase caseName: String? = nil
    ) throws(JSONError) -> T {
        state.pointee.begin(tape, userInfo)
        do {
            let value: T
            if let caseName {
                state.pointee.setCase(payload: index, named: caseName)
                value = try state.decodeCase(type)
            } else {
                value = try state.decode(type, at: index)
            }
            guard state.pointee.callDepthMax > 0 else {
                throw JSONError(code: .invalid, message: DecodingStatePointer.tooDeepMessage)
            }
            return value
        } catch let error as DecodingError {
            throw state.pointee.jsonError(error)
        } catch let error as JSONError {
            throw error
        } catch {
            throw JSONError(
                code: .invalid,
                offset: state.pointee.offset(of: index),
                pointer: state.pointee.tape.pointer(to: index),
                message: "The type's own decoding code refused the value.",
                failure: error
            )
        }
    }
}

/// The limits of the documents that a reader accepts.
public struct JSONLimits: Sendable, Equatable {
    /// The upper bound of ``depthMax``. The bound limits the stack that decoding and encoding need.
    public static let depthCeiling = 512

    /// The maximum number of nested calls of `encode(to:)` or `init(from:)`. A type that encodes or
    /// decodes itself as a single value opens no container. So a limit of the depth would not stop
    /// an endless recursion.
    static let callDepthMax = 2 * depthCeiling

    /// The maximum number of bytes of a document.
    public var bytesMax: Int
    /// The maximum depth of arrays and objects; a scalar has depth 0.
    public var depthMax: Int

    /// Makes limits. `depthMax` is reduced to ``depthCeiling`` if it is larger.
    public init(bytesMax: Int = 1 << 20, depthMax: Int = 64) {
        self.bytesMax = min(bytesMax, Int(UInt32.max) - 16)
        self.depthMax = min(depthMax, Self.depthCeiling)
    }

    /// The limits for the program's own documents: the depth is at most ``depthCeiling``. The size
    /// is at most 4 GiB, because the parser's offsets have 32 bits.
    public static let unbounded = JSONLimits(bytesMax: .max, depthMax: depthCeiling)
}
