import Dispatch
import StoreCore
import StoreTesting
import Testing

@Suite struct CommandTests {
    @Test func `a command is called as a function with a value`() {
        let printed = Recorder<Int>()
        let commandInt = Command<Int>(action: { value in printed.record(value) })
        commandInt(with: 7)
        commandInt(with: 8)
        let shorter = Command<Int> { value in printed.record(value) }
        shorter(with: 9)
        #expect(printed.values == [7, 8, 9])
    }

    @Test func `a bound command needs no value any more`() {
        let printed = Recorder<Int>()
        let printInt = Command<Int>(id: "Print the int") { printed.record($0) }
        let printSeven = printInt.bound(to: 7)
        printSeven()
        #expect(printed.values == [7])
    }

    @Test func `a derived command keeps the name and origin of its command`() {
        let line: UInt = #line + 1
        let printInt = Command<Int>.init(id: "Print the int") { _ in }
        let bound = printInt.bound(to: 7).async(on: DispatchQueue(label: "render"))
        #expect(bound.id == "Print the int ∘ bound(7) ∘ render")
        #expect(bound.file == "StoreCoreTests/CommandTests.swift")
        #expect(bound.function == #function)
        #expect(bound.line == line)
        #expect(
            printInt.debugDescription.split(separator: "\n").map(String.init) == [
                "type: Command<Int>", "id: Print the int",
                "file: StoreCoreTests/CommandTests.swift", "function: \(#function)",
                "line: \(line)",
            ]
        )
    }

    @Test func `a command with a queue runs there, from every thread that calls it`() async {
        let queue = DispatchQueue(label: "background")
        let place = DispatchSpecificKey<String>()
        queue.setSpecific(key: place, value: "background")
        let label = await withCheckedContinuation { continuation in
            let command = PlainCommand {
                continuation.resume(returning: DispatchQueue.getSpecific(key: place))
            }
            command.async(on: queue)()
        }
        #expect(label == "background")
    }

    @Test func `two commands differ, and a copy is the same`() {
        let one = Command<Int> { _ in }
        let other = Command<Int> { _ in }
        #expect(one != other)
        #expect(Set([one, one, other]).count == 2)
    }

    @Test func `map makes the value from another value, and nop does nothing`() {
        let printed = Recorder<Int>()
        let length = Command<Int> { printed.record($0) }.map { (text: String) in text.count }
        length(with: "four")
        Command<Int>.nop(with: 1)
        #expect(printed.values == [4])
    }

    @Test func `a disposer calls its commands in order at its end`() {
        let called = Recorder<Int>()
        var disposer: Disposer? = Disposer()
        for number in 0..<3 {
            if let disposer { PlainCommand { called.record(number) }.dispose(on: disposer) }
        }
        #expect(called.values.isEmpty)
        disposer = nil
        #expect(called.values == [0, 1, 2])
    }
}
