// SPDX-License-Identifier: BSD-2-Clause
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** The little HTTP/1.x that a server without a library needs. */
final class Http {
	private Http() {
	}

	/** Whether the connection stays open after this request: 1.1 unless it says close, 1.0 only if it says keep-alive. */
	static boolean keepsAlive(String request) {
		String lower = request.toLowerCase(Locale.ROOT);

		if (lower.substring(0, lower.indexOf('\r')).endsWith("http/1.0"))
			return lower.contains("\r\nconnection: keep-alive\r\n");
		return !lower.contains("\r\nconnection: close\r\n");
	}

	static ByteBuffer answer(int status, byte[] body, boolean keep) {
		byte[] head = ("HTTP/1.1 " + status + " -\r\nContent-Length: " + body.length + "\r\nConnection: " + (keep ? "keep-alive" : "close") +
			"\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
		ByteBuffer whole = ByteBuffer.allocate(head.length + body.length);

		return whole.put(head).put(body).flip();
	}
}
