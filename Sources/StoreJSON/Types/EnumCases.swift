/// The cases of an enum without payloads, also of one that is not `CaseIterable`.
///
/// The compiler synthesizes `CodingKeys` and raw enums, but does not list their cases. The runtime
/// has their number: the type's descriptor contains it. The layout of the descriptor is part of
/// Swift's stable ABI (swift/include/swift/ABI/Metadata.h, `TargetEnumDescriptor`).
package enum EnumCases {
    /// Returns all values of the type in the order of declaration, or `nil` if the type is no enum
    /// without payloads.
    package static func all<Value>(of _: Value.Type) -> [Value]? {
        if let iterable = Value.self as? any CaseIterable.Type {
            return listed(iterable) as? [Value]
        }
        guard let count = emptyCasesCount(of: Value.self) else { return nil }
        switch MemoryLayout<Value>.size {
        case 0 where count == 1:
            // Safety: a type of no bytes has one value, and reading it reads nothing.
            return [unsafeBitCast((), to: Value.self)]
        case 1 where (2...256).contains(count):
            // Safety: an enum of one byte whose cases all lack payloads holds the index of its
            // case. So each byte below the number of cases is a value. Such an enum is trivial:
            // nothing is retained.
            return (0..<count).map { unsafeBitCast(UInt8($0), to: Value.self) }
        default: return nil
        }
    }

    /// True if a type is an enum whose cases all lack payloads.
    package static func isPlain(_ type: Any.Type) -> Bool { emptyCasesCount(of: type) != nil }

    private static func listed<Value: CaseIterable>(_: Value.Type) -> [Value] {
        Array(Value.allCases)
    }

    /// Returns the number of cases of an enum; `nil` for any other type.
    package static func count(of type: Any.Type) -> Int? {
        counts(of: type).map { $0.payload + $0.empty }
    }

    /// Returns the number of cases of an enum whose cases all lack payloads; `nil` for any other
    /// type.
    private static func emptyCasesCount(of type: Any.Type) -> Int? {
        guard let counts = counts(of: type), counts.payload == 0 else { return nil }
        return counts.empty
    }

    private static func counts(of type: Any.Type) -> (payload: Int, empty: Int)? {
        #if _ptrauth(_arm64e)
            // The descriptor's address is signed on arm64e. The callers have a fallback.
            return nil
        #else
            // Safety: a metatype is the address of the type's metadata, which is never freed. Its
            // first word is the kind. The second word is read only if the kind is enum: it then is
            // the address of an enum's descriptor. The descriptor's own kind is checked before its
            // counts are read.
            let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
            guard metadata.load(as: UInt.self) == metadataKindEnum,
                let descriptor = metadata.load(
                    fromByteOffset: MemoryLayout<UInt>.size,
                    as: UnsafeRawPointer?.self
                )
            else { return nil }
            let flags = descriptor.load(as: UInt32.self)
            guard flags & 0x1F == contextKindEnum else { return nil }
            let payloadCases = descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF
            let emptyCases = descriptor.load(fromByteOffset: 24, as: UInt32.self)
            return (Int(payloadCases), Int(emptyCases))
        #endif
    }

    /// `MetadataKind::Enum`: the second of the kinds of types that are not on the heap.
    private static let metadataKindEnum: UInt = 0x201
    /// `ContextDescriptorKind::Enum`.
    private static let contextKindEnum: UInt32 = 18
}
