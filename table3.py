import json,statistics as st,sys
N=[('uniform_lan','uniform LAN (800)'),('het_lan','heterogeneous LAN (800/400/200)'),('uniform_wan','uniform WAN (40)'),('het_wan','heterogeneous WAN (40/20/10)')]
S=['single','alone','ps_async','ps_sync','ring_allreduce','d_psgd','ad_psgd','gossip','ako_p1','ako_p2','ako_p3','ako_p4']
print(S)
for n,t in N:
    r=[]
    for s in S:
        try: r.append('%.3f'%st.mean(json.load(open(f'/tmp/w/out/tab3/{n}_{s}/{k}/summary.json'))['final_accuracy']['mean'] for k in range(11,16)))
        except Exception as e: r.append('?')
    print('|',t,'|',' | '.join(r),'|')
