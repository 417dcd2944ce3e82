// SPDX-License-Identifier: BSD-2-Clause
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A client that does as it is told, and counts bytes: Client SERVER PORT CONNECTIONS opens them all, then for each "REQUESTS PATH" on its
 * standard input sends so many, one after the other, round about its connections, and says "done REQUESTS". At the end of its input it
 * says of each connection its port, what it sent and what it received, in bytes.
 */
public final class Client {
	private final Socket[] connections;
	private final long[] sent, received;
	private int turn;

	private Client(String server, int port, int nr) throws IOException {
		connections = new Socket[nr];
		sent = new long[nr];
		received = new long[nr];
		for (int i = 0; i < nr; i++) {
			connections[i] = new Socket(server, port);
			connections[i].setTcpNoDelay(true);
		}
	}

	public static void main(String[] args) throws IOException {
		Client client = new Client(args[0], Integer.parseInt(args[1]), Integer.parseInt(args[2]));
		BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));

		System.out.println("ready");
		for (String line = orders.readLine(); line != null; line = orders.readLine()) {
			String[] words = line.split(" ");

			for (int i = Integer.parseInt(words[0]); i > 0; i--)
				client.ask(words[1]);
			System.out.println("done " + words[0]);
		}
		client.report();
	}

	private void ask(String path) throws IOException {
		int at = turn++ % connections.length;
		byte[] request = ("GET " + path + " HTTP/1.1\r\nHost: test\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
		OutputStream out = connections[at].getOutputStream();

		out.write(request);
		sent[at] += request.length;
		received[at] += answer(connections[at].getInputStream());
	}

	/** Its bytes. It must end with the "ok" that every path gives. */
	private static long answer(InputStream in) throws IOException {
		byte[] bytes = new byte[4096];
		int length = 0;

		while (length < 7 || !new String(bytes, length - 7, 7, StandardCharsets.US_ASCII).equals("\r\n\r\nok\n")) {
			int nr = in.read(bytes, length, bytes.length - length);

			if (nr <= 0)
				throw new IOException("the answer is cut off after " + length + " bytes");
			length += nr;
		}
		if (!new String(bytes, 0, 12, StandardCharsets.US_ASCII).equals("HTTP/1.1 200"))
			throw new IOException(new String(bytes, 0, length, StandardCharsets.US_ASCII));
		return length;
	}

	private void report() throws IOException {
		for (int i = 0; i < connections.length; i++) {
			System.out.println("connection " + connections[i].getLocalPort() + " " + sent[i] + " " + received[i]);
			connections[i].close();
		}
	}
}
