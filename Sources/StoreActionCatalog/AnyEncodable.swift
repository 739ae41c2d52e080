/// A value of any encodable type. Its encoding is the same as that of the value itself.
package struct AnyEncodable: Encodable {
    package let value: any Encodable

    package init(_ value: any Encodable) { self.value = value }

    package func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
