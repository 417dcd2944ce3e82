// SPDX-License-Identifier: BSD-2-Clause
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Netty 4 with two event loops, whose handlers also do the work. Arguments: seconds, address. */
public class NettyServer {
	public static void main(String[] args) throws Exception {
		NioEventLoopGroup accepting = new NioEventLoopGroup(1);
		NioEventLoopGroup serving = new NioEventLoopGroup(2);
		Work work = new Work();
		Channel listener = new ServerBootstrap()
			.group(accepting, serving)
			.channel(NioServerSocketChannel.class)
			.option(ChannelOption.SO_BACKLOG, 1024)
			.childHandler(new ChannelInitializer<Channel>() {
				@Override
				protected void initChannel(Channel channel) {
					channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(16384), new Handler(work));
				}
			})
			.bind(args.length > 1 ? args[1] : "127.0.0.1", 0).sync().channel();

		Life.live(args, ((InetSocketAddress) listener.localAddress()).getPort(), work, () -> {
			listener.close().sync();
			serving.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).sync();
		});
	}

	private static final class Handler extends SimpleChannelInboundHandler<FullHttpRequest> {
		private final Work work;

		Handler(Work work) {
			this.work = work;
		}

		@Override
		protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) throws IOException {
			work.handle(request.uri(), (status, body) -> {
				var answer = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status),
					Unpooled.wrappedBuffer(body));
				boolean keep = HttpUtil.isKeepAlive(request);

				HttpUtil.setContentLength(answer, body.length);
				answer.headers().set("Connection", keep ? "keep-alive" : "close");
				var done = context.writeAndFlush(answer);
				if (!keep)
					done.addListener(ChannelFutureListener.CLOSE);
			});
		}

		@Override
		public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
			context.close();
		}
	}
}
