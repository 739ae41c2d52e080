package import StoreJSON
import StoreTexts
package import StoreWire

/// Makes the analytics line of an action that a store has applied: a CloudEvents 1.0 event as JSON.
///
/// <https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md>
package final class CloudEventEncoder: Sendable {
    package let source: String
    package let epoch: Epoch
    package let encoder: JSONEncoder

    package init(source: String, epoch: Epoch, encoder: JSONEncoder) {
        self.source = source
        self.epoch = epoch
        self.encoder = encoder
    }

    /// Returns the line with its line feed.
    func line(for event: AnalyticsEvent) throws(JSONError) -> [UInt8] {
        try self.json(for: event) + [UInt8(ascii: "\n")]
    }

    /// Returns the event as JSON.
    func json(for event: AnalyticsEvent) throws(JSONError) -> [UInt8] {
        try encoder.encode(
            CloudEvent(
                id: Tag(epoch: epoch, version: event.version).description,
                source: source,
                type: event.type,
                subject: event.subject.map { AttributeText.escaped($0) },
                time: CivilTime(nanosecondsSince1970: event.time).rfc3339(.microseconds),
                traceparent: event.traceparent,
                data: event.declaredValue.map(EventData.init) ?? EventData(value: EmptyObject())
            )
        )
    }

    private struct CloudEvent: Encodable {
        var specversion = "1.0"
        let id: String
        let source: String
        let type: String
        let subject: String?
        let time: String
        let traceparent: String?
        var datacontenttype = "application/json"
        let data: EventData
    }

    /// A box for a value of any type, so that the compiler can synthesize `Encodable` for
    /// ``CloudEvent``.
    private struct EventData: Encodable {
        let value: any Encodable

        func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
    }

    private struct EmptyObject: Encodable {}
}

/// The encoding of texts in attributes of CloudEvents (CloudEvents 1.0.2, "Type System").
enum AttributeText {
    /// Returns the text with percent-encoded characters, such as `%0A`, in place of characters that
    /// an attribute must not have: control characters and Unicode noncharacters. `%` itself is
    /// encoded, too.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: needsEscape) else { return text }
        return text.unicodeScalars
            .map { needsEscape($0) ? PercentEncoding.encode(String($0)) : String($0) }.joined()
    }

    private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x25, 0...0x1F, 0x7F...0x9F, 0xFDD0...0xFDEF: true
        case let value: value & 0xFFFE == 0xFFFE
        }
    }
}
