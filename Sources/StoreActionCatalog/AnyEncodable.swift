/// A value of any type, which is encoded as it would be on its own.
package struct AnyEncodable: Encodable {
    package let value: any Encodable

    package init(_ value: any Encodable) { self.value = value }

    package func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
