/// An encoder of `Encodable` values as JSON (RFC 8259).
///
/// Members have the order in which the type encodes them. Synthesized code encodes members in the
/// order of declaration. Dictionaries and sets are sorted, so the same value always gives the same
/// bytes. The bytes have no white space between values. `/` and characters beyond ASCII are not
/// escaped. A whole `Double` such as 1.0 becomes `1`.
public struct JSONEncoder: Sendable {
    /// Values that the `encode(to:)` of types can read from their encoder.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    let adapters: AdapterSet

    /// Makes an encoder. The encoder uses `adapters` for the values of their types. An encoder with
    /// adapters has its own working memory, which takes time to build. So keep such an encoder and
    /// use it again.
    public init(adapters: [JSONAdapter] = []) { self.adapters = .of(adapters) }

    /// Returns the value as JSON.
    ///
    /// Any thread may call this function. Cost: one pass over the value. The next call uses the
    /// memory of this call again.
    ///
    /// - Throws: ``JSONError`` with the pointer to a value that could not be encoded.
    public func encode<T: Encodable>(_ value: T) throws(JSONError) -> [UInt8] {
        try withState { (state) throws(JSONError) in
            try write(value, to: state)
            return state.pointee.output.array
        }
    }

    /// Returns the value as JSON, in an object that threads can share without a copy.
    ///
    /// If the encoder has neither adapters nor ``userInfo``, it encodes each row of a table only
    /// once. The result shares the bytes of the rows with the results of other calls.
    ///
    /// - Throws: as ``encode(_:)``.
    public func encodeShared<T: Encodable>(_ value: T) throws(JSONError) -> Bytes {
        try withState { (state) throws(JSONError) in
            state.pointee.keepsTablesApart = adapters === AdapterSet.none && userInfo.isEmpty
            try write(value, to: state)
            return state.pointee.sharedBytes
        }
    }

    /// Encodes a case of an enum, and passes the name of the case and its payload to `body`.
    ///
    /// An enum encodes itself as an object with one member. The name of the case is the key of that
    /// member. The payload is the member's value, which is an object. If the enum has texts as raw
    /// values, the name is the text, and the payload is an object without members. The memory of
    /// the name and the payload is valid only during the call of `body`.
    ///
    /// - Throws: ``JSONError`` if the value does not encode itself in this form, and any error of
    ///   `body`.
    package func encodeCase<T: Encodable, R>(
        _ value: T,
        _ body: (_ name: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) throws -> R
    ) throws -> R {
        try withState { state in
            try write(value, to: state)
            guard let form = EncodedCase(state.pointee.output.bytes) else {
                throw JSONError(
                    code: .unencodable,
                    message: "The value is not encoded as a case of an enum."
                )
            }
            return try body(form.name, form.payload)
        }
    }

    @inline(__always)
    private func withState<R, E: Error>(
        _ body: (EncodingStatePointer) throws(E) -> R
    ) throws(E) -> R {
        let box = adapters.encodingStates.take()
        let state = box.pointer
        state.pointee.begin(userInfo)
        defer {
            state.pointee.end(freeingAbove: AdapterSet.keptBufferBytesMax)
            adapters.encodingStates.giveBack(box)
        }
        return try body(state)
    }

    private func write<T: Encodable>(_ value: T, to state: EncodingStatePointer) throws(JSONError) {
        do {
            try state.encode(value)
            state.pointee.closeContainers(deeperThan: 0)
            guard state.pointee.callDepthMax > 0 else { throw EncodingError.tooDeep(value) }
            guard state.pointee.hasMisplacedValue else { return }
        } catch  where state.pointee.hasMisplacedValue && state.pointee.callDepthMax > 0 {
            // The error may come from a misplaced value, which only the fast path produces. So try
            // the slow path.
        } catch let error as EncodingError {
            throw JSONError(error, at: state.pointee.pointer)
        } catch let error as JSONError {
            throw error
        } catch {
            throw JSONError(
                code: .invalid,
                pointer: state.pointee.pointer,
                message: "The value's own encoding code threw an error.",
                failure: error
            )
        }
        try TreeEncoding.write(value, to: state, adapters: adapters.list, userInfo: userInfo)
    }
}

extension JSONError {
    /// Converts an error that a type's own `encode(to:)` or the encoder threw.
    init(_ error: EncodingError, at pointer: String) {
        let message =
            switch error {
            case .invalidValue(_, let context): context.debugDescription
            @unknown default: "\(error)"
            }
        self.init(code: .unencodable, pointer: pointer, message: message)
    }
}
