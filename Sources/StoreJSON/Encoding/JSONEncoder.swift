/// Encodes any `Encodable` value as JSON (RFC 8259).
///
/// Members keep the order in which the type encodes them; for synthesized code, that is the order
/// of declaration. Dictionaries and sets are sorted, so the same value always gives the same bytes.
/// The bytes have no white space. `/` and characters beyond ASCII are not escaped. A whole `Double`
/// such as 1.0 becomes `1`.
public struct JSONEncoder: Sendable {
    /// Values for the `encode(to:)` of types to look up.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    let adapters: AdapterSet

    /// Makes an encoder that uses adapters for their types. Keep an encoder that has adapters: its
    /// working memory, with the plans of types, is discarded with it.
    public init(adapters: [JSONAdapter] = []) { self.adapters = .of(adapters) }

    /// Returns the value as JSON.
    ///
    /// Any thread may call this function. Cost: one pass, into memory that the next call uses
    /// again.
    ///
    /// - Throws: ``JSONError`` with the pointer of a part that has no JSON form.
    public func encode<T: Encodable>(_ value: T) throws(JSONError) -> [UInt8] {
        try withState { (state) throws(JSONError) in
            try write(value, to: state)
            return state.pointee.output.array
        }
    }

    /// Returns the value as JSON that threads can share.
    ///
    /// - Throws: as ``encode(_:)``.
    public func encodeShared<T: Encodable>(_ value: T) throws(JSONError) -> Bytes {
        try withState { (state) throws(JSONError) in
            try write(value, to: state)
            return state.pointee.output.shared
        }
    }

    /// Encodes a case of an enum, and passes the name of the case and its payload to `body`.
    ///
    /// An enum encodes itself as an object with one member. The name is the key of that member, and
    /// the payload its value, which is an object. For an enum with texts as raw values, the name is
    /// the text, and the payload an object without members. The memory of the name and the payload
    /// is valid during the call.
    ///
    /// - Throws: ``JSONError`` if the value has another form or none; any error of `body`.
    package func encodeCase<T: Encodable, R>(
        _ value: T,
        _ body: (_ name: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) throws -> R
    ) throws -> R {
        try withState { state in
            try write(value, to: state)
            guard let form = CaseBytes(state.pointee.output.bytes) else {
                throw JSONError(
                    code: .unencodable,
                    message: "The value is not written as an enum's case."
                )
            }
            return try body(form.name, form.payload)
        }
    }

    @inline(__always)
    private func withState<R, E: Error>(
        _ body: (EncodingStatePointer) throws(E) -> R
    ) throws(E) -> R {
        let box = adapters.encoding.take()
        let state = box.pointer
        state.pointee.begin(userInfo)
        defer {
            state.pointee.end(keeping: AdapterSet.keptBytesMax)
            adapters.encoding.give(box)
        }
        return try body(state)
    }

    private func write<T: Encodable>(_ value: T, to state: EncodingStatePointer) throws(JSONError) {
        do {
            try state.encode(value)
            state.pointee.close(to: 0)
            guard state.pointee.callsMax > 0 else { throw EncodingError.tooDeep(value) }
            guard state.pointee.outOfPlace else { return }
        } catch  where state.pointee.outOfPlace && state.pointee.callsMax > 0 {
            // The error may be a consequence of a value that had no place in the output.
        } catch let error as EncodingError {
            throw JSONError(error, at: state.pointee.pointer)
        } catch let error as JSONError {
            throw error
        } catch {
            throw JSONError(
                code: .invalid,
                pointer: state.pointee.pointer,
                message: "The value's own code refused to encode it.",
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
