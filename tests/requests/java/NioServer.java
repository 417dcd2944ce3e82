// SPDX-License-Identifier: BSD-2-Clause
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;

/**
 * One thread, one selector, one read and one write a request. Enough HTTP/1.x for requests without a body: keep-alive, pipelined,
 * in pieces. Arguments: seconds, address.
 */
public class NioServer {
	private static final int REQUEST_MAX = 16384;

	private final Selector selector = Selector.open();
	private final Work work;

	private NioServer(ServerSocketChannel listener, Work work) throws IOException {
		this.work = work;
		listener.configureBlocking(false);
		listener.register(selector, SelectionKey.OP_ACCEPT);
	}

	public static void main(String[] args) throws Exception {
		InetAddress at = args.length > 1 ? InetAddress.getByName(args[1]) : InetAddress.getLoopbackAddress();
		ServerSocketChannel listener = ServerSocketChannel.open().bind(new InetSocketAddress(at, 0), 1024);
		Work work = new Work();
		NioServer server = new NioServer(listener, work);
		Thread loop = new Thread(server::run, "nio-loop");

		loop.start();
		Life.live(args, listener.socket().getLocalPort(), work, () -> {
			server.selector.close();
			loop.join();
		});
	}

	private void run() {
		try {
			while (true) {
				selector.select();
				for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext(); keys.remove())
					serve(keys.next());
			}
		} catch (ClosedSelectorException | IOException e) {
			// its time is over
		}
	}

	private void serve(SelectionKey ready) throws IOException {
		if (ready.isAcceptable()) {
			accept((ServerSocketChannel) ready.channel());
			return;
		}
		try {
			if (!receive((SocketChannel) ready.channel(), (ByteBuffer) ready.attachment()))
				ready.channel().close();
		} catch (IOException e) {
			ready.channel().close(); // a reset, or what is no HTTP
		}
	}

	private void accept(ServerSocketChannel listener) throws IOException {
		SocketChannel channel = listener.accept();

		if (channel == null)
			return;
		channel.configureBlocking(false);
		channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
		channel.register(selector, SelectionKey.OP_READ, ByteBuffer.allocate(REQUEST_MAX));
	}

	/** false: close it. */
	private boolean receive(SocketChannel channel, ByteBuffer bytes) throws IOException {
		boolean open = channel.read(bytes) >= 0;
		int end;

		while (open && (end = endOfRequest(bytes)) > 0)
			open = answer(channel, take(bytes, end));
		return open && bytes.hasRemaining();
	}

	/** Where the first whole request ends; 0: it is not whole. */
	private static int endOfRequest(ByteBuffer bytes) {
		for (int i = 4; i <= bytes.position(); i++) {
			if (bytes.get(i - 1) == '\n' && bytes.get(i - 2) == '\r' && bytes.get(i - 3) == '\n' && bytes.get(i - 4) == '\r')
				return i;
		}
		return 0;
	}

	private static String take(ByteBuffer bytes, int end) {
		byte[] request = new byte[end];

		bytes.flip();
		bytes.get(request);
		bytes.compact();
		return new String(request, StandardCharsets.ISO_8859_1);
	}

	private boolean answer(SocketChannel channel, String request) throws IOException {
		String[] words = request.substring(0, request.indexOf('\r')).split(" ");
		boolean keep = Http.keepsAlive(request);

		if (words.length != 3)
			return false;
		work.handle(words[1], (status, body) -> {
			ByteBuffer answer = Http.answer(status, body, keep);

			while (answer.hasRemaining())
				channel.write(answer);
		});
		return keep;
	}
}
