/// Functions for the cases of enums, including enums that are not `CaseIterable`.
///
/// The compiler does not list the cases of synthesized `CodingKeys` and of raw enums. But the
/// type's descriptor in the program contains the number of cases. The layout of the descriptor is
/// part of Swift's stable ABI (swift/include/swift/ABI/Metadata.h, `TargetEnumDescriptor`).
package enum EnumCases {
    /// Returns `allCases` if the type is `CaseIterable`. Otherwise returns all values of an enum of
    /// at most 256 cases without payloads, in the order of declaration. Returns `nil` for any other
    /// type.
    package static func all<Value>(of _: Value.Type) -> [Value]? {
        if let iterable = Value.self as? any CaseIterable.Type {
            return allCases(of: iterable) as? [Value]
        }
        guard let count = countIfWithoutPayloads(of: Value.self) else { return nil }
        switch MemoryLayout<Value>.size {
        case 0 where count == 1:
            // Safety: an enum of zero bytes with one case has one value, and the cast reads no
            // memory.
            return [unsafeBitCast((), to: Value.self)]
        case 1 where (2...256).contains(count):
            // Safety: in an enum of one byte without payloads, the byte is the index of the case.
            // So each byte below the number of cases is a valid value. The values need no reference
            // counting.
            return (0..<count).map { unsafeBitCast(UInt8($0), to: Value.self) }
        default: return nil
        }
    }

    /// Returns true if a type is an enum without payloads.
    package static func isEnumWithoutPayloads(_ type: Any.Type) -> Bool {
        countIfWithoutPayloads(of: type) != nil
    }

    private static func allCases<Value: CaseIterable>(of: Value.Type) -> [Value] {
        Array(Value.allCases)
    }

    /// Returns the number of cases of an enum; `nil` for any other type.
    package static func count(of type: Any.Type) -> Int? {
        counts(of: type).map { $0.payload + $0.empty }
    }

    /// Returns the number of cases of an enum without payloads; `nil` for any other type.
    private static func countIfWithoutPayloads(of type: Any.Type) -> Int? {
        guard let counts = counts(of: type), counts.payload == 0 else { return nil }
        return counts.empty
    }

    private static func counts(of type: Any.Type) -> (payload: Int, empty: Int)? {
        #if _ptrauth(_arm64e)
            // On arm64e, the descriptor's address is signed and cannot be read. So the result is
            // `nil`, which the callers accept.
            return nil
        #else
            // Safety: a metatype is the address of the type's metadata, which is never freed. The
            // first word of the metadata is the kind of the type. If the kind is enum, the second
            // word is the address of the enum's descriptor. The code checks the descriptor's kind
            // before reading its counts.
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

    /// `MetadataKind::Enum` in the metadata of a type.
    private static let metadataKindEnum: UInt = 0x201
    /// `ContextDescriptorKind::Enum` in the flags of a descriptor.
    private static let contextKindEnum: UInt32 = 18
}
