import Locks
import Synchronization

/// Reads any `Decodable` value from JSON, strictly: RFC 8259, UTF-8, each key once, within limits.
///
/// A number fits its Swift type exactly or is an error; `1.0` and `1e2` are integers. Members that a
/// type does not know are passed over.
public struct JSONDecoder: Sendable {
    /// How large a document may be.
    public var limits: JSONLimits
    /// What `init(from:)` of people's own types may look up.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    private let adapters: [ObjectIdentifier: JSONAdapter]

    /// Makes a decoder that reads the adapters' types their way.
    public init(limits: JSONLimits = JSONLimits(), adapters: [JSONAdapter] = []) {
        self.limits = limits
        self.adapters = Dictionary(adapters.map { ($0.type, $0) }) { _, last in last }
    }

    /// Reads one value, which is the whole document.
    ///
    /// Any thread may call this.
    ///
    /// - Throws: ``JSONError`` with the offset and the pointer of what is wrong.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws(JSONError) -> T {
        try bytes.withUnsafeBytes { buffer in
            Result { () throws(JSONError) in try decode(type, from: buffer) }
        }.get()
    }

    /// Reads one value, which is the whole document.
    ///
    /// - Throws: as ``decode(_:from:)``.
    public func decode<T: Decodable>(
        _ type: T.Type,
        from bytes: UnsafeRawBufferPointer
    ) throws(JSONError) -> T {
        let box = DecodingPool.take()
        defer { DecodingPool.give(box) }
        try box.tape.parse(bytes, limits: limits)
        return try read(type, box, box.tape, at: 0, pointerPrefix: "")
    }

    /// Reads the value at a node of a document that was parsed before.
    ///
    /// - Parameter pointerPrefix: replaces the way from the root to the node in errors' pointers.
    package func decode<T: Decodable>(
        _ type: T.Type,
        at node: JSONNode,
        pointerPrefix: String
    ) throws(JSONError) -> T {
        let box = DecodingPool.take()
        defer { DecodingPool.give(box) }
        do {
            return try read(type, box, node.tape, at: node.index, pointerPrefix: "")
        } catch {
            let own = node.tape.pointer(to: node.index)
            throw JSONError(
                code: error.code,
                offset: error.offset,
                pointer: pointerPrefix + error.pointer.dropFirst(own.count),
                expected: error.expected,
                message: error.message
            )
        }
    }

    private func read<T: Decodable>(
        _ type: T.Type,
        _ box: DecodingBox,
        _ tape: JSONTape,
        at index: Int,
        pointerPrefix: String
    ) throws(JSONError) -> T {
        let state = box.pointer
        state.pointee.begin(tape, adapters: adapters, userInfo: userInfo)
        do {
            let value = try withExtendedLifetime(tape) { try state.decode(type, at: index) }
            guard state.pointee.callsMax > 0 else {
                throw JSONError(code: .invalid, message: DecodingStatePointer.tooDeep)
            }
            return value
        } catch let error as DecodingError {
            throw state.pointee.error(error)
        } catch let error as JSONError {
            throw error
        } catch {
            throw JSONError(
                code: .invalid,
                offset: state.pointee.offset(of: index),
                pointer: state.pointee.tape.pointer(to: index),
                message: "The type's own code refused the value: \(error)."
            )
        }
    }
}

/// Decoders' working memory, kept for the next document.
private enum DecodingPool {
    /// The most that are kept while nobody decodes.
    static let statesMax = 8
    /// Memory above this is not kept.
    static let bytesMax = 4 << 20

    private static let free = Locked<[DecodingBox]>([])

    static func take() -> DecodingBox {
        free.withLock { $0.popLast() } ?? DecodingBox()
    }

    static func give(_ box: DecodingBox) {
        box.tape.shrink(below: bytesMax)
        box.pointer.pointee.end()
        free.withLock { if $0.count < statesMax { $0.append(box) } }
    }
}

/// Owns one decoder's working memory.
private final class DecodingBox: @unchecked Sendable {
    // Safety: whoever took the box from the pool is its only user until it is given back.
    let tape = JSONTape()
    let pointer: DecodingStatePointer

    init() {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: DecodingState(tape))
    }

    deinit {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }
}
