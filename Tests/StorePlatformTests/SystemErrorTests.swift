import Glibc
import StorePlatform
import Testing

struct SystemErrorTests {
    @Test func `an error's number has the system's text, and one without a text is named`() {
        #expect(SystemError.text(of: ENOENT) == "No such file or directory")
        #expect(SystemError.text(of: 99_999).contains("99999"))
    }
}
